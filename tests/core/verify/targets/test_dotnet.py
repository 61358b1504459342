from __future__ import annotations

import pytest

from tests.core.verify.conftest import files
from tests.core.verify.targets.conftest import Aims

TREE = {
    "Gears.sln": "",
    "src/Gears.Core/Gears.Core.csproj": "<Project/>\n",
    "test/Gears.Tests/Gears.Tests.csproj": "<Project/>\n",
    "docs/a.txt": "",
    "src/Notes/a.txt": "",
}


@pytest.mark.parametrize(
    ("command", "subject"),
    [
        ("dotnet test test/Gears.Tests/Gears.Test.csproj", "test/Gears.Tests/Gears.Test.csproj"),
        ("dotnet build -c Release src/Notes", "src/Notes"),
        ("dotnet run --project src/Gears.Core/Gears.Cor.csproj -- x", "src/Gears.Core/Gears.Cor.csproj"),
        ("dotnet test test/Units --filter A=b", "test/Units"),
    ],
)
def test_a_project_that_is_not_there_is_reported(aims: Aims, command: str, subject: str) -> None:
    assert [each[0] for each in aims(TREE, command)] == [subject]


@pytest.mark.parametrize(
    "command",
    ["dotnet test", "dotnet build Gears.sln", "dotnet test test/Gears.Tests",
     "dotnet run --project src/Gears.Core none/x", "dotnet test bin/x.dll", "dotnet test $P", "dotnet tool restore",
     "dotnet new xunit -o src/X",
     "cd src && dotnet test Gears.Core", "! dotnet test none/x"],
)  # fmt: skip
def test_projects_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(TREE, command) == []


def test_a_project_that_the_plan_makes_is_there(aims: Aims) -> None:
    assert aims(TREE, files("Create: `test/Units/Units.csproj`"), "dotnet test test/Units") == []
    assert aims(TREE, "dotnet new xunit -o test/Units", "dotnet test test/Units/Units.csproj") == []
