"""What holds for every test."""

from hypothesis import HealthCheck, settings

# A loaded machine is no reason to fail: nothing here asserts how long something takes.
settings.register_profile("lockin", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lockin")
