"""The App itself: its installations, their tokens, and the log of its webhooks."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.lookalike import refusals
from tests.lookalike.auth import mint
from tests.lookalike.rest.operations import Answer, Call, operation
from tests.lookalike.shapes import stamp
from tests.lookalike.state import Account, App, Installation, Json
from tests.lookalike.webhooks import Delivery


def app_of(call: Call) -> App:
    assert call.caller.app is not None
    return call.caller.app


def installation_of(call: Call) -> Installation:
    found = call.look.installations.get(call.number("installation_id"))
    if found is None or found.app is not app_of(call):
        raise refusals.not_found()
    return found


@operation("GET", "/app", auth="app")
def get_app(call: Call) -> Answer:
    app = app_of(call)
    mine = [i for i in call.look.installations.values() if i.app is app]
    return Answer(200, call.look.shapes.app(app) | {"installations_count": len(mine)})


@operation("GET", "/app/installations", auth="app")
def list_installations(call: Call) -> Answer:
    mine = [i for i in call.look.installations.values() if i.app is app_of(call)]
    return call.page(mine, call.look.shapes.installation)


@operation("GET", "/app/installations/{installation_id}", auth="app")
def get_installation(call: Call) -> Answer:
    return Answer(200, call.look.shapes.installation(installation_of(call)))


@operation("GET", "/repos/{owner}/{repo}/installation", auth="app")
def repository_installation(call: Call) -> Answer:
    wanted = f"{call.params['owner']}/{call.params['repo']}".lower()
    for installation in call.look.installations.values():
        names = {repo.full_name.lower() for repo in call.look.repositories_of(installation)}
        if installation.app is app_of(call) and wanted in names:
            return Answer(200, call.look.shapes.installation(installation))
    raise refusals.not_found()


@operation("GET", "/orgs/{org}/installation", auth="app")
def organization_installation(call: Call) -> Answer:
    for installation in call.look.installations.values():
        if installation.app is app_of(call) and installation.account.login.lower() == call.params["org"].lower():
            return Answer(200, call.look.shapes.installation(installation))
    raise refusals.not_found()


@operation("POST", "/app/installations/{installation_id}/access_tokens", auth="app")
def create_token(call: Call) -> Answer:
    token = mint(
        call.look,
        installation_of(call),
        permissions=call.body.get("permissions"),
        names=call.body.get("repositories"),
        ids=call.body.get("repository_ids"),
        life=call.look.token_life,
    )
    body: Json = {
        "token": token.text,
        "expires_at": stamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": "all" if token.repositories is None else "selected",
    }
    if token.repositories is not None:
        there = [repo for repo in call.look.repositories.values() if repo.id in token.repositories]
        body["repositories"] = [call.look.shapes.repository(repo) for repo in there]
    return Answer(201, body)


@operation("DELETE", "/installation/token", auth="installation")
def revoke_token(call: Call) -> Answer:
    assert call.caller.token is not None
    call.caller.token.revoked = True
    return Answer(204)


@operation("GET", "/installation/repositories", auth="installation")
def list_repositories(call: Call) -> Answer:
    seen = [repo for repo in call.look.repositories.values() if call.caller.sees(call.look, repo)]
    answer = call.page(seen, call.look.shapes.repository, wrap="repositories")
    answer.body["repository_selection"] = "all" if call.caller.installation.repositories is None else "selected"
    return answer


# ---- webhooks ------------------------------------------------------------------------------------
@operation("GET", "/app/hook/config", auth="app")
def hook_config(call: Call) -> Answer:
    app = app_of(call)
    body: Json = {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url or ""}
    return Answer(200, body | ({"secret": "********"} if app.webhook_secret else {}))


@operation("GET", "/app/hook/deliveries", auth="app")
def list_deliveries(call: Call) -> Answer:
    """Newest first; pages go by cursor, which is the id of the first delivery of a page."""
    mine = sorted((d for d in call.look.outbox.attempts if d.app is app_of(call)), key=lambda d: -d.id)
    if "cursor" in call.query:
        mine = [d for d in mine if d.id <= int(call.query["cursor"].removeprefix("v1_"))]
    if call.query.get("status") == "failure":
        mine = [d for d in mine if not d.ok]
    per_page = min(int(call.query.get("per_page", 30)), 100)
    shown, rest = mine[:per_page], mine[per_page:]
    headers = {"link": call.links({"next": {"cursor": f"v1_{rest[0].id}"}})} if rest else {}
    return Answer(200, [delivery_item(d) for d in shown], headers)


@operation("GET", "/app/hook/deliveries/{delivery_id}", auth="app")
def get_delivery(call: Call) -> Answer:
    found = _delivery(call)
    request = {"headers": found.request_headers, "payload": found.payload}
    return Answer(
        200, delivery_item(found) | {"request": request, "response": {"headers": {}, "payload": found.answer}}
    )


@operation("POST", "/app/hook/deliveries/{delivery_id}/attempts", auth="app")
def redeliver(call: Call) -> Answer:
    call.look.outbox.redeliver(_delivery(call))
    return Answer(202, {})


def _delivery(call: Call) -> Delivery:
    wanted = call.number("delivery_id")
    found = next((d for d in call.look.outbox.attempts if d.id == wanted and d.app is app_of(call)), None)
    if found is None:
        raise refusals.not_found()
    return found


def delivery_item(delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": delivery.duration,
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


# ---- everybody -----------------------------------------------------------------------------------
@operation("GET", "/rate_limit")
def rate_limit(call: Call) -> Answer:
    limit = call.look.rate(call.caller)
    used = {"limit": limit.limit, "remaining": limit.remaining, "used": limit.used, "reset": limit.reset}
    return Answer(200, {"resources": {"core": used, "search": used, "graphql": used}, "rate": used})


@operation("GET", "/users/{username}")
def get_user(call: Call) -> Answer:
    account = call.look.accounts.get(call.params["username"].lower())
    if account is None:
        raise refusals.not_found()
    return Answer(200, call.look.shapes.account(account) | _profile(account))


def _profile(account: Account) -> Json:
    nothing = dict.fromkeys(("company", "location", "email", "hireable", "bio", "blog"))
    counts = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    moment = stamp(datetime(2020, 1, 1, tzinfo=UTC))
    return {**nothing, **counts, "name": account.name, "created_at": moment, "updated_at": moment}
