"""What schemathesis has to know of this API beyond its document, and the few failures that are none."""

import schemathesis
from hypothesis import strategies as st
from schemathesis.core.failures import Failure

# Values of the formats that are our own (src/service/api/openapi/schemas.ts, parameters.ts): without these, schemathesis would
# take any text for one.

hour = st.integers(0, 23)
minute = st.integers(0, 59)
clock = st.builds("{}:{:02d}".format, hour, minute)
DAYS = ["Mon", "tuesday", "WED", "Thu-Sat", "Fri-Mon", "Sun"]


@st.composite
def window(draw):
    start = draw(clock)
    end = draw(st.one_of(clock, st.just("24:00")).filter(lambda each: each != start))
    days = draw(st.lists(st.sampled_from(DAYS), max_size=3))
    return ",".join([f"{start}-{end}", *days])


schedule = st.lists(window(), max_size=5).map(";".join)
schemathesis.openapi.format("schedule", schedule)

name = st.from_regex(r"\A[A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?\Z")
key = st.one_of(name, st.builds("{}/{}".format, st.sampled_from(["dormouse.dev", "a"]), name), st.just("app"))
requirement = st.one_of(
    st.builds("{}{}{}".format, key, st.sampled_from(["=", "==", "!="]), name),
    st.builds("{} {} ({})".format, key, st.sampled_from(["in", "notin"]), st.lists(name, min_size=1).map(",".join)),
    key,
    key.map("!{}".format),
    st.builds("{}{}{}".format, key, st.sampled_from("<>"), st.integers(-1000, 1000)),
)
schemathesis.openapi.format("label-selector", st.lists(requirement, max_size=4).map(",".join))

# Within the bounds of each (src/service/api/openapi/formats.ts).
limit = st.one_of(st.integers(1, 525600).map("{}m".format), st.builds("{}d{}h".format, st.integers(1, 364), hour))
schemathesis.openapi.format("duration-limit", limit)
schemathesis.openapi.format("duration-limitOrNone", st.one_of(limit, st.just("")))
schemathesis.openapi.format("duration-wait", st.one_of(st.integers(1, 300).map("{}s".format), st.builds("{}m{}s".format, st.integers(0, 4), st.integers(1, 59))))


def faults_of(response):
    """The code of an error, and the faults that a 400 lists, as `query/continue`."""
    try:
        error = response.json()["error"]
        return error["code"], [fault["in"] + fault["pointer"] for fault in error["details"].get("faults", [])]
    except (ValueError, KeyError, TypeError):
        return None, []


# Each with its reason: a part of the request's URL, the code of the refusal, and where all of its faults are. Valid data
# that are refused so are no failure.
EXCLUSIONS = [
    # No document can say which texts are continue tokens of a list with these filters.
    ("", "VALIDATION_ERROR", {"query/continue"}),
    # A watched list has no pages. A document describes each parameter by itself.
    ("watch=true", "VALIDATION_ERROR", {"query/limit", "query/continue"}),
    # This is about the workload, whose annotation nobody can read, and not about the request.
    ("", "INVALID_STATE", set()),
    # ?inherit=true removes a setting, so that the same setting in the body contradicts it. A document describes query and
    # body each by itself.
    ("inherit=true", "VALIDATION_ERROR", {"body/schedule", "body/timezone"}),
    # The index shows how the path of a workload is made, and schemathesis takes the template itself for such a path.
    ("%7B", "VALIDATION_ERROR", {"path/namespace", "path/name"}),
]


@schemathesis.hook
def filter_failure(context, failure: Failure, case, response):
    if "positive_data_acceptance" not in failure.checks:
        return True
    code, faults = faults_of(response)
    return not any(
        url in response.request.url
        and code == excluded
        and bool(faults) == bool(places)
        and set(faults) <= places
        for url, excluded, places in EXCLUSIONS
    )
