def propose_in_text(operator, program):
    return ()
