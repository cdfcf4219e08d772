// The page without a network: all its files, kept at the first visit. stage.mjs writes which they are, and a name that
// changes when they do: a browser that finds another one fetches all anew.
const kFiles = [/* FILES */];
const kName = "manyply /* VERSION */";

addEventListener("install", event => {
  skipWaiting();
  event.waitUntil(caches.open(kName).then(cache => cache.addAll(kFiles.map(file => new Request(file, {cache: "reload"})))));
});
addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("manyply ") && name !== kName) await caches.delete(name);
  await clients.claim();
})()));
addEventListener("fetch", event => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(kName);
    const kept = await cache.match(event.request, {ignoreSearch: true});
    return kept ?? fetch(event.request);
  })());
});
