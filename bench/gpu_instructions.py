#!/usr/bin/env python3
"""Machine instructions of a kernel in a cubin (sm_90 or sm_120), by source line; bench/gpu_registers.sh calls this.

gpu_instructions.py CUBIN SOURCE KERNEL: the cubin has line numbers of SOURCE (ptxas -lineinfo).
"""
import collections
import re
import struct
import subprocess
import sys

INSTRUCTION_BYTES = 16
BRA, EXIT, CALL, RET, NOP = 0x947, 0x94D, 0x944, 0x950, 0x918


def sections(cubin):
    """Returns the names and contents of a 64-bit ELF file's sections."""
    table, = struct.unpack_from('<Q', cubin, 0x28)
    size, count, names = struct.unpack_from('<HHH', cubin, 0x3A)
    headers = [struct.unpack_from('<IIQQQQIIQQ', cubin, table + i * size) for i in range(count)]
    def text(offset):
        return cubin[offset:cubin.index(b'\0', offset)].decode()
    return [(text(headers[names][4] + h[0]), h, cubin[h[4]:h[4] + h[5]]) for h in headers]


def instructions(code):
    """Yields address, opcode and branch target (or None)."""
    for address in range(0, len(code), INSTRUCTION_BYTES):
        low, high = struct.unpack_from('<QQ', code, address)
        opcode, target = low & 0xFFF, None
        if opcode in (BRA, CALL):
            # A distance in words: 8 bits of it are stored apart from the others.
            words = ((low >> 34 | high << 30) & ((1 << 48) - 1)) << 8 | low >> 16 & 0xFF
            words -= (words >> 55) << 56
            target = address + INSTRUCTION_BYTES + 4 * words
        yield address, opcode, low >> 12 & 15, target


def lines_of(path, all_sections, kernel):
    """Returns the source line of each address of a kernel at which the line changes."""
    output = subprocess.run(['readelf', '--debug-dump=decodedline', path], capture_output=True, text=True).stdout
    sequences, current = [], []
    for line in output.splitlines():
        match = re.match(r'\S+\s+(\d+|-)\s+(?:0x)?([0-9a-f]+)\b', line)
        if not match: continue
        if match[1] == '-':
            sequences.append(current)
            current = []
        else:
            current.append((int(match[2], 16), int(match[1])))
    return sequences

if __name__ == '__main__':
    path, source, kernel = sys.argv[1:4]
    secs = sections(open(path, 'rb').read())
    names = [n for n, h, b in secs if n.startswith('.text.')]
    seqs = lines_of(path, secs, kernel)
    i = names.index('.text.' + kernel)
    text = open(source).read().splitlines()
    lines = dict(seqs[i])
    code = list(instructions(secs[[n for n, h, b in secs].index('.text.' + kernel)][2]))
    targets = {t for _, _, _, t in code if t is not None}
    now = 0
    block = collections.Counter()
    start = 0
    def flush(end, why):
        global block, start
        if block:
            print(f'{start:#06x} {sum(block.values()):4}', ', '.join(f'{l}' + (f'x{n}' if n > 1 else '') for l, n in sorted(block.items())), why)
        block = collections.Counter(); start = end
    for address, opcode, predicate, target in code:
        if address in targets: flush(address, '')
        now = lines.get(address, now)
        if opcode != NOP: block[now] += 1
        if opcode in (BRA, EXIT, RET, CALL):
            flush(address + 16, {BRA: 'BRA', EXIT: 'EXIT', RET: 'RET', CALL: 'CALL'}[opcode] + (f' {target:#x}' if target is not None else '') + (f' P{predicate}' if predicate != 7 else '') + (' <<<' if target is not None and target <= address else ''))
