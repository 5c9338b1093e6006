"""The encode stage: private records and test inputs through the encoder that public inputs taught."""

import numpy as np
from pate.pipelines import graph
from pate.pipelines.artifacts import ENCODER, PRIVATE, PRIVATE_FEATURES, TEST, TEST_FEATURES


def test_private_records_and_test_inputs_are_encoded_alike(made):
    encoder = made(ENCODER, "features")
    for ref, features in ((PRIVATE, PRIVATE_FEATURES), (TEST, TEST_FEATURES)):
        inputs, encoded = made(ref, "data").x, made(features, "encode").x
        np.testing.assert_array_equal(encoded, inputs.reshape(len(inputs), -1))
        np.testing.assert_array_equal(encoded[:3], encoder.transform(inputs[:3]))  # each row by itself


def test_what_is_encoded_stays_where_it_came_from(settings):
    (stage,) = [one for one in graph(settings()).stages if one.name == "encode"]
    assert {ref.name: ref.side for ref in stage.writes} == {"private_features": "private", "test_features": "private"}
