from __future__ import annotations

import pytest

from tests.core.verify.conftest import files, run
from tests.core.verify.targets.conftest import Aims

GRADLE = {
    "settings.gradle.kts": 'rootProject.name = "gears"\ninclude(":app", ":core:model")\ninclude(\n  "uiKit",\n)\n'
    '// include(":old")\nproject(":app").projectDir = file("application")\n',
    "gradlew": "",
    "application/src/A.kt": "",
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("./gradlew :apps:test", ":apps:test", "app"),
        ("./gradlew core:models:build --tests 'X:y'", "core:models:build", "core:model"),
        ("./gradlew -p . :old:test", ":old:test", None),
        ("cd application && ../gradlew :apps:test", ":apps:test", "app"),
    ],
)
def test_a_module_that_is_not_included_is_reported(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    assert aims(GRADLE, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    ["./gradlew test", "./gradlew :app:anyTask :core:model:test :core:x", "./gradlew uiKit:build", "gradle uK:test",
     "./gradlew :buildSrc:test", "./gradlew -p other :none:test", "./gradlew :$M:test", "./gradlew -Pa:b=c test",
     "! ./gradlew :none:test", "./gradlew --include-build x :none:test",
     "cd application && ../gradlew none:test"],
)  # fmt: skip
def test_modules_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(GRADLE, command) == []


@pytest.mark.parametrize(
    "line",
    ['includeBuild("tools")', 'listOf("a").forEach { include(it) }', 'include("x:${name}")', "include(name)",
     'apply(from = "more.gradle")'],
)  # fmt: skip
def test_settings_that_compute_modules_say_so(aims: Aims, line: str) -> None:
    tree = {**GRADLE, "settings.gradle.kts": f'include(":app")\n{line}\n'}
    assert "settings.gradle.kts" in aims.notes(tree, "./gradlew :none:test")


def test_a_module_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(GRADLE, files("Modify: `settings.gradle.kts`"), "./gradlew :feed:test") == []
    assert aims(GRADLE, run("./gradlew :feed:test") + '\n```kotlin\ninclude(":feed")\n```\n') == []
    assert aims(GRADLE, files("Create: `feed/build.gradle.kts`"), "./gradlew :feed:test") == []


def _pom(artifact: str, more: str = "") -> str:
    return f"<project>\n  <artifactId>{artifact}</artifactId>\n{more}</project>\n"


MAVEN = {
    "pom.xml": _pom("gears", "  <modules><module>core</module></modules>\n"),
    "core/pom.xml": _pom("gears-core"),
    "ext/ui/pom.xml": _pom("gears-ui"),
}


@pytest.mark.parametrize(
    ("command", "subject", "suggestion"),
    [
        ("mvn -q test -pl cores -am", "cores", "core"),
        ("./mvnw test --projects core,:gears-api", ":gears-api", None),
        ("mvn test -pl '!ext/uix'", "ext/uix", "ext/ui"),
    ],
)
def test_a_maven_module_that_is_not_there_is_reported(
    aims: Aims, command: str, subject: str, suggestion: str | None
) -> None:
    assert aims(MAVEN, command) == [(subject, suggestion)]


@pytest.mark.parametrize(
    "command",
    ["mvn test", "mvn test -pl core,ext/ui", "mvn test -pl :gears-core", "mvn test -pl org.x:gears-ui -Dtest=None",
     "mvn -f core/pom.xml test -pl .", "mvn test -pl $M", "mvn test -pl ui", "cd none && mvn test -pl none",
     "! mvn test -pl none"],
)  # fmt: skip
def test_maven_modules_and_what_cannot_be_known_are_not(aims: Aims, command: str) -> None:
    assert aims(MAVEN, command) == []


def test_a_maven_module_that_the_plan_adds_is_there(aims: Aims) -> None:
    assert aims(MAVEN, files("Create: `feed/pom.xml`"), "mvn test -pl feed") == []
    assert aims(MAVEN, files("Modify: `pom.xml`"), "mvn test -pl feed") == []
