// The worker that all tabs of one browser share: it follows jobs for them, so that however many windows are open, the
// server is kept by few connections, and the rest are free for what people ask.
import {Follower} from "./follower.js";
import {call} from "./http.js";

let token = null;  // of whoever came last
const follower = new Follower((path, options) => call(path, options, token));

addEventListener("connect", ({ports: [port]}) => {
  const listeners = new Map();  // by the tab's number: {id, listener}
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
  port.addEventListener("close", () => [...listeners.keys()].forEach(leave));  // a tab that is gone without a word
  port.start();
});
