import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from pytest_lockin.errors import TaskFileError
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.loader import json_schemas, load_task
from pytest_lockin.taskbank.shipped import hidden_file, tasks_root

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas"


@pytest.mark.parametrize("name", ["task", "obligations"])
def test_the_published_schema_is_the_loaders(name):
    """Renew with `lockin tasks schema NAME > docs/schemas/NAME.schema.json`."""
    assert (
        json.loads((PUBLISHED / f"{name}.schema.json").read_text()) == json_schemas()[f"{name}.schema.json"]
    )


@pytest.mark.parametrize("schema", json_schemas().values(), ids=json_schemas())
def test_the_schemas_are_schemas(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "_" not in "".join(schema["$defs"])


def test_every_shipped_file_satisfies_its_schema():
    schemas = {name: jsonschema.Draft202012Validator(schema) for name, schema in json_schemas().items()}
    for task in list_task_ids():
        schemas["task.schema.json"].validate(yaml.safe_load((tasks_root() / task / "task.yaml").read_text()))
        schemas["obligations.schema.json"].validate(yaml.safe_load(hidden_file(task).read_text()))


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"id": 3},
        {"id": "../x"},
        {"id": "a", "obligation": []},
        {"id": "a", "entry_point": "run it"},
        {"id": "a", "tables": [3]},
        {"id": "a", "obligations": [{"id": "O1", "kind": "join", "source": "hidden", "text": "x"}]},
        {"id": "a", "obligations": [{"id": "O1", "kind": "jion", "source": "prompt", "text": "x"}]},
        {
            "id": "a",
            "obligations": [{"id": "O1", "kind": "join", "source": "prompt", "text": "x", "columns": ["#0"]}],
        },
    ],
)
def test_schema_and_loader_refuse_the_same(data, tmp_path):
    validator = jsonschema.Draft202012Validator(json_schemas()["task.schema.json"])
    assert not validator.is_valid(data)
    (tmp_path / "task.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(TaskFileError):
        load_task(tmp_path)
