# Usage: cmake -DNPM=FILE -DNODE=FILE -DSOURCE=FOLDER -DWORK=FOLDER -DOUT=FOLDER -P build.cmake. Fetches the libraries
# of the lock file and collects the page in OUT. Without npm or a network, the build continues with a placeholder page
# that says how to build the real page.
file(MAKE_DIRECTORY ${WORK})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${WORK})
set(failed "npm was not found when this was built")
if(NPM AND NODE)
  execute_process(COMMAND ${NPM} ci WORKING_DIRECTORY ${WORK} RESULT_VARIABLE code
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(failed "")
  if(NOT code EQUAL 0)
    message(WARNING "npm ci failed, the page is left out:\n${said}")
    set(failed "npm could not fetch the page's libraries when this was built")
  endif()
endif()
if(NOT failed)
  execute_process(COMMAND ${NODE} ${SOURCE}/stage.mjs ${SOURCE} ${WORK}/node_modules ${OUT}
                  COMMAND_ERROR_IS_FATAL ANY)
else()
  file(REMOVE_RECURSE ${OUT})
  file(WRITE ${OUT}/index.html "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Manyply</title>
<h1>Manyply</h1><p>The server runs, without its page: ${failed}. With npm installed and the
network at hand, run <code>touch tools/web/package.json</code>, then <code>cmake --preset release</code> and
<code>cmake --build --preset release</code>, and start the server again.</p><p><a href=\"/openapi.json\">The API</a> is complete.</p></html>\n")
endif()
