"""Is it good?"""
