"""Count the cases that Hypothesis generates, over all workers, and print their number.

`--least-cases 2000` makes the session fail if fewer ran to their end.
"""

from functools import wraps

import pytest


def pytest_addoption(parser):
    parser.addoption("--least-cases", type=int, default=0, help="fail below this many cases")


def pytest_configure(config):
    config.pluginmanager.register(CaseCounter(config.getoption("--least-cases")))


class CaseCounter:
    def __init__(self, least):
        self.least = least
        self.cases = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        handle = getattr(getattr(item, "obj", None), "hypothesis", None)
        if handle is None:
            return (yield)
        test, cases = handle.inner_test, 0

        @wraps(test)
        def counted(*args, **kwargs):
            nonlocal cases
            test(*args, **kwargs)
            cases += 1  # not reached by an example that was rejected

        handle.inner_test = counted
        try:
            return (yield)
        finally:
            handle.inner_test = test
            item.user_properties.append(("cases", cases))

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.cases += dict(report.user_properties).get("cases", 0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK and self.cases < self.least:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.cases or self.least:
            wanted = f" of at least {self.least}" if self.least else ""
            terminalreporter.write_line(f"{self.cases}{wanted} generated cases")
