# Usage: cmake -DPERFT=FILE -DDATE=YYYY-MM-DD -DFOLDER=FOLDER -P manual.cmake. Writes perft.1 and, for each of its sections
# about a command, perft-COMMAND.1.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${PERFT} manual ${DATE} OUTPUT_FILE ${FOLDER}/perft.1 COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${FOLDER}/perft.1 sections REGEX "^\\.SS perft [a-z]+ ")
string(REGEX MATCHALL "SS perft [a-z]+" commands "${sections}")
list(REMOVE_DUPLICATES commands)
foreach(command IN LISTS commands)
  string(REPLACE "SS perft " "" command ${command})
  execute_process(COMMAND ${PERFT} manual ${DATE} --command ${command} OUTPUT_FILE ${FOLDER}/perft-${command}.1
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
