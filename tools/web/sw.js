// Makes the page work without a network: caches all its files at the first visit. stage.mjs writes the list of files, and a
// name that changes when a file changes. If a browser finds a new name, it fetches the files again.
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
