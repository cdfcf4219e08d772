# Of `objdump -d --no-show-raw-insn` of code for Windows, where a stack is aligned to 16 bytes and to no more: prints each
# function that takes wide vectors to be aligned on it without having aligned it itself. Exits with 1 if there is one.
function judge() { if (wide && !aligned) { print name ": " wide; found = 1 } }
/^[0-9a-f]+ <.*>:$/ { judge(); name = $2; wide = ""; aligned = 0 }
/vmov(aps|apd|dqa(32|64)?|ntdq|ntps) .*%[yz]mm/ && /\(%r[sb]p/ { wide = $0 }
/and +\$0xffffffffffffff([0-9a-e]0|80|00),%rsp/ { aligned = 1 }
END { judge(); exit found }
