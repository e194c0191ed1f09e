"""What a secret looks like, and text without it.

`kinds` knows tokens by their looks, `assigned` what a telling name gets, `headers` what stands in a
header, a cookie or an address, `keys` private keys, `known` the forms of values that are known.
`finding` says where in some bytes they are: it looks for rare marks first, so that ordinary output
passes at the speed of a search. `masker` replaces them, `quoted` within JSON, `stream` in output
that comes in pieces.
"""
