"""What a secret looks like, and text without it.

`kinds` knows tokens by their looks, `naming` and `judging` what is assigned to a telling name,
`known` the forms of values that are known. `finding` says where in some bytes they are: it looks
for rare marks first, so that ordinary output passes at the speed of a search. `masker` replaces
them, `stream` does so with output that comes in pieces.
"""
