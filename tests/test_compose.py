"""The compose files, without docker: what they name is there, and fits together."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.settings import Settings, is_loopback, load_settings

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
FILES = ("compose.yaml", "compose-cluster.yaml")
IMAGE = (DEPLOY / "Containerfile").read_text()

KEYS = {
    *("build", "cap_drop", "command", "depends_on", "deploy", "env_file", "environment", "image"),
    *("healthcheck", "mem_limit", "network_mode", "networks", "ports", "profiles", "read_only"),
    *("restart", "security_opt", "stop_grace_period", "tmpfs", "user", "volumes"),
}
"""The keys that a service may have: those of the Compose Specification that are used."""


@cache
def read(name: str) -> dict[str, Any]:
    """Return a file as compose reads it, with `secret` for what comes from outside."""
    raw = json.dumps(yaml.safe_load((DEPLOY / name).read_text()))
    filled = re.sub(r"\$\{POSTGRES_PASSWORD:\?[^}]+\}", "secret", raw).replace("$$", "")
    assert "$" not in filled, "a variable that nobody is asked for"
    content = json.loads(filled)
    return {key: each for key, each in content.items() if not key.startswith("x-")}


SERVICES = [
    pytest.param(name, service, id=f"{name}-{service}")
    for name in FILES
    for service in read(name)["services"]
]


def environment(service: dict[str, Any]) -> dict[str, str]:
    given = service.get("environment", {})
    assert all(isinstance(each, str) for each in given.values()), (
        "compose would read it as YAML does"
    )
    return dict(given)


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_what_a_service_names_is_there(name: str, service: str):
    content = read(name)
    services, this = content["services"], content["services"][service]
    assert set(content) <= {"services", "volumes", "networks"}
    assert set(this) <= KEYS

    for volume in this.get("volumes", []):
        assert volume.split(":")[0] in content["volumes"]
    assert set(this.get("networks", [])) <= set(content.get("networks", {}))
    for other, how in this.get("depends_on", {}).items():
        is_ours = services[other]["image"].startswith("ultimate-tic-tac-toe")
        has_check = "test" in services[other].get("healthcheck", {}) or (
            is_ours and "HEALTHCHECK" in IMAGE and "healthcheck" not in services[other]
        )
        assert how["condition"] == "service_healthy"
        assert has_check
    if build := this.get("build"):
        context = DEPLOY / build["context"]
        assert context.resolve() == ROOT
        assert (context / build["dockerfile"]).is_file()
        for given, value in build.get("args", {}).items():
            assert f"ARG {given}=" in IMAGE
            files = set(value.split())
            assert [each for each in files if not (DEPLOY / each).is_file()] == []
    builders = [each for each in services.values() if each["image"] == this["image"]]
    assert any("build" in each for each in builders) or this["image"].startswith("postgres:")
    command = this.get("command", [])
    words = command if isinstance(command, list) else command.split()
    modules = re.findall(r"(?:-m|--preload) ([\w.]+)", " ".join(words))
    missing = [each for each in modules if each != "dask" and not find_spec(each)]
    assert missing == []


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_a_service_can_do_no_more_than_it_needs(name: str, service: str):
    this = read(name)["services"][service]

    assert this["cap_drop"] == ["ALL"]
    assert this["security_opt"] == ["no-new-privileges:true"]
    assert this["image"].startswith("postgres:") or this["read_only"] is True
    for port in this.get("ports", []):
        address, _, _ = str(port).rpartition(":")
        assert is_loopback(address.rpartition(":")[0]), "others could reach it"
    # The token is for bots only.
    is_bot = "command" not in this and not this["image"].startswith("postgres:")
    assert ("env_file" in this) == is_bot
    assert this.get("env_file", "../.env") == "../.env"


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_the_settings_of_a_service_are_settings(
    name: str, service: str, monkeypatch: pytest.MonkeyPatch
):
    given = environment(read(name)["services"][service])
    if not read(name)["services"][service]["image"].startswith("ultimate-tic-tac-toe"):
        assert all(each.startswith("POSTGRES_") for each in given)
        return
    known = {each.upper() for each in Settings.model_fields} | {"ENGINE_CACHE_DIR"}
    assert set(given) <= known
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    load_settings(None)  # raises, if something is wrong


def test_who_is_asked_can_be_reached_and_nobody_else():
    content = read("compose-cluster.yaml")
    services = content["services"]
    for this in services.values():
        words = [*environment(this).values(), *map(str, this.get("command", []))]
        for host in re.findall(r"(?:@|tcp://)([a-z]+)", " ".join(words)):
            assert set(this["networks"]) & set(services[host]["networks"]), host
    inside = {each for each, how in content["networks"].items() if how == {"internal": True}}
    assert set(services["database"]["networks"]) <= inside
    assert set(services["scheduler"]["networks"] + services["worker"]["networks"]) <= inside
    # Services that can run anything, such as dask workers, reach neither games nor backups.
    assert services["worker"]["networks"] == services["scheduler"]["networks"]
    theirs = services["worker"]["volumes"] + services["scheduler"].get("volumes", [])
    assert not any(each.startswith(("data:", "postgresql:")) for each in theirs)


def test_each_shard_is_served_once():
    given = [
        environment(each)["SHARDS"]
        for each in read("compose-cluster.yaml")["services"].values()
        if "SHARDS" in environment(each)
    ]
    found = [re.fullmatch(r"(\d+)(?:-(\d+))?/(\d+)", each) for each in given]
    assert all(found)
    counts = {int(each[3]) for each in found if each}
    ranges = [range(int(each[1]), int(each[2] or each[1]) + 1) for each in found if each]

    assert len(found) > 1
    assert len(counts) == 1
    assert sorted(chain.from_iterable(ranges)) == list(range(counts.pop()))


def test_both_files_keep_what_lasts_in_the_same_place():
    """After a switch to the second one, games, copies and kernels are where they were."""
    one, other = (read(name)["services"] for name in FILES)

    assert one["bot"]["volumes"] == other["bot-0"]["volumes"] == other["move"]["volumes"]
    assert one["backup"]["command"] == other["backup"]["command"]
    database = re.findall(r"DATABASE_URL=(\S+)", IMAGE)
    assert [environment(other["move"])["DATABASE_URL"]] == database
    assert other["move"]["profiles"] == ["move"], "not started unless asked for"
