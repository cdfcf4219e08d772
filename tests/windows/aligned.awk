# Reads the output of `objdump -d --no-show-raw-insn` for Windows code, where stacks are aligned only to 16 bytes.
# Prints each function that stores wide vectors with aligned instructions on the stack but does not align the stack
# itself. Exits with 1 if there is such a function.
function judge() { if (wide && !aligned) { print name ": " wide; found = 1 } }
/^[0-9a-f]+ <.*>:$/ { judge(); name = $2; wide = ""; aligned = 0 }
/vmov(aps|apd|dqa(32|64)?|ntdq|ntps) .*%[yz]mm/ && /\(%r[sb]p/ { wide = $0 }
/and +\$0xffffffffffffff([0-9a-e]0|80|00),%rsp/ { aligned = 1 }
END { judge(); exit found }
