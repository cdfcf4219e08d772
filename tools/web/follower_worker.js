// A worker that all tabs of a browser share. It follows jobs for them, so that many windows use few connections to the
// server, and connections stay free for other requests.
import {Follower} from "./follower.js";
import {call} from "./http.js";

let token = null;  // of the tab that last called follow()
const follower = new Follower((path, options) => call(path, options, token));

addEventListener("connect", ({ports: [port]}) => {
  const listeners = new Map();  // by the number that the tab has given to its listener: {id, listener}
  const leave = to => {
    const {id, listener} = listeners.get(to) ?? {};
    listeners.delete(to);
    if (listener) follower.leave(id, listener);
  };
  port.addEventListener("message", ({data}) => {
    const {to} = data;
    if (!data.follow) return leave(to);
    token = data.token;
    if (!listeners.has(to)) {
      listeners.set(to, {id: data.follow, listener: {
        seen: job => port.postMessage({to, job}),
        failed: ({message, field = null, status = null}) => port.postMessage({to, error: {message, field, status}}),
      }});
    }
    follower.follow(data.follow, listeners.get(to).listener, data.seen);
  });
  port.addEventListener("close", () => [...listeners.keys()].forEach(leave));  // a tab that closed without a message
  port.start();
});
