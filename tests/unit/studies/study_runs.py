"""Builds the published study as a folder of runs, from the compact labels in data/paper_export.json."""

import json
from pathlib import Path

DATA = Path(__file__).parent / "data"
CONDITIONS = {"one_pass": "one-pass", "test_guided": "test-guided", "planaudit": "planaudit"}
PLAN = {"P": "present", "p": "partial", "a": "absent"}
CODE = {"S": "satisfied", "V": "violated", "E": "execution_failed"}
TEST = {"C": "covered", "p": "partially_covered", "N": "not_covered"}
MECHANISMS = {
    "g": "gap_despite_plan",
    "c": "partial_coverage",
    "s": "candidate_schema",
    "o": "self_confirming_omission",
    "d": "nondiscriminating_data",
    "x": "same_incorrect_logic",
}
PERMISSIONS = {
    "one_pass": {"plan.md": "frozen", "solution.py": "frozen", "test_solution.py": "frozen"},
    "test_guided": {"plan.md": "frozen", "solution.py": "revise", "test_solution.py": "limited"},
    "planaudit": {"plan.md": "revise", "solution.py": "revise", "test_solution.py": "revise"},
}
COHORTS = [
    {"title": "SQL-reproduced", "exclude": ["q02", "q35"]},
    {"title": "Also excluding q11", "exclude": ["q02", "q11", "q35"]},
    {"title": "Without q11", "exclude": ["q11"]},
]
# Table VII: query, then passed/total and the letter per condition.
REPLICATION = {
    "q14a": ["0/15 E", "15/15 P", "15/15 P"],
    "q04": ["9/13 F", "9/13 F", "13/13 P"],
    "q33": ["10/10 P", "10/10 P", "10/10 P"],
    "q11": ["10/10 P", "10/10 P", "10/10 P"],
    "q77": ["12/12 P", "12/12 P", "12/12 P"],
    "q80": ["E", "18/18 P", "E"],
    "q14b": ["9/9 P", "9/9 P", "9/9 P"],
    "q69": ["14/14 P", "14/14 P", "14/14 P"],
    "q47": ["16/16 P", "16/16 P", "16/16 P"],
    "q05": ["20/20 P", "20/20 P", "21/21 P"],
}


def read_export():
    return json.loads((DATA / "paper_export.json").read_text("utf-8"))["tasks"]


def label_run(task, condition):
    """The label entries of one run of the published study."""
    plan, code, test = task[condition]
    mechanisms = task["mechanisms"]
    labels = []
    for place in range(len(plan)):
        label = {
            "obligation": f"O{place + 1}",
            "plan": PLAN[plan[place]],
            "code": CODE[code[place]],
            "test": TEST[test[place]],
        }
        if code[place] == "V":
            label["mechanism"] = MECHANISMS[mechanisms[place]]
        labels.append(label)
    return labels


def write_run(folder, labels=None, artifacts=("plan.md", "solution.py", "test_solution.py")):
    folder.mkdir(parents=True, exist_ok=True)
    for name in artifacts:
        (folder / name).write_text(f"# {name} of {folder.name}\n", "utf-8")
    if labels is not None:
        sets = [{"name": "final", "role": "adjudicated", "by": "both", "labels": labels}]
        (folder / "labels.json").write_text(json.dumps({"format": 1, "sets": sets}), "utf-8")


def report_entry(task, suite, verdict, tests, category=None):
    """One task of a lock-in report, in the pipeline's JSON form."""
    agreement = {
        "agrees": category is None,
        "category": category,
        "recovered_by": [],
        "rows_expected": 100,
        "rows_found": 100,
        "differences": [],
    }
    counts = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0} | tests
    return {
        "id": task,
        "suite": suite,
        "engine": "spark",
        "confirmed": True,
        "tests": counts,
        "verdict": verdict,
        "reason": "",
        "agreement": agreement,
    }


def write_report(runs, entries):
    report = {"format": 1, "tasks": entries, "gate": {"passed": False, "reasons": []}}
    (runs / "lockin.json").write_text(json.dumps(report), "utf-8")


def write_paper_runs(runs):
    """Write all ninety runs with labels, report and study file."""
    entries = []
    for name, task in read_export().items():
        for key, folder in CONDITIONS.items():
            write_run(runs / folder / name, label_run(task, key))
            passes = (
                key == "planaudit" or not task["one_pass_fails"] or (key == "test_guided" and name != "q35")
            )
            failed = "E" in task[key][1]
            entries.append(
                report_entry(
                    name,
                    f"runs/{folder}/{name}/test_solution.py",
                    "false_pass" if passes else "true_fail",
                    {"passed": 11} if passes else {"passed": 8, "failed": 3},
                    "runtime" if failed else task["category"],
                )
            )
    write_report(runs, entries)
    conditions = [
        {"folder": folder, "baseline": key == "one_pass", "permissions": PERMISSIONS[key]}
        for key, folder in CONDITIONS.items()
    ]
    study = {"format": 1, "title": "Published", "conditions": conditions, "cohorts": COHORTS}
    (runs / "study.json").write_text(json.dumps(study), "utf-8")


def write_replication(runs):
    """Write the thirty runs of Table VII; `E` without a count is a collection error."""
    entries = []
    for task, cells in REPLICATION.items():
        for folder, cell in zip(CONDITIONS.values(), cells, strict=True):
            write_run(runs / folder / task)
            count, _, letter = cell.rpartition(" ")
            passed, total = (int(one) for one in count.split("/")) if count else (0, 1)
            rest = {"P": {}, "F": {"failed": total - passed}, "E": {"errors": total - passed}}[letter]
            verdict = "false_pass" if letter == "P" else "true_fail"
            suite = f"{folder}/{task}/test_solution.py"
            entries.append(report_entry(task, suite, verdict, {"passed": passed, **rest}, "values"))
    write_report(runs, entries)
    study = {"format": 1, "title": "Replication", "tasks": list(REPLICATION)}
    (runs / "study.json").write_text(json.dumps(study), "utf-8")
