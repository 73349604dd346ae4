// Every way in which a page can make its browser send something to another origin, without leaving the page and by
// leaving it. Nothing here can tell whether it worked: the servers can.

const BODIES = {
  none: () => undefined,
  text: () => '{}',
  form: () => new URLSearchParams('a=b'),
  multipart: () => {
    const data = new FormData()
    data.append('{}', '{}')
    return data
  },
  untyped: () => new Blob(['{}']),
  json: () => new Blob(['{}'], { type: 'application/json' }),
}
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** Puts an element into the page; resolves when it was loaded or failed. */
function put(name, attributes, parent = document.body) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  parent.append(element)
  return new Promise((done) => {
    element.onload = element.onerror = element.onloadeddata = done
  })
}

const bySubresource = {
  image: (src) => put('img', { src }),
  'image-no-referrer': (src) => put('img', { src, referrerpolicy: 'no-referrer' }),
  script: (src) => put('script', { src }),
  module: (src) => put('script', { src, type: 'module' }),
  stylesheet: (href) => put('link', { rel: 'stylesheet', href }),
  prefetch: (href) => put('link', { rel: 'prefetch', href }),
  preload: (href) => put('link', { rel: 'preload', as: 'fetch', href, crossorigin: '' }),
  manifest: (href) => put('link', { rel: 'manifest', href }),
  video: (src) => put('video', { src, preload: 'auto' }),
  object: (data) => put('object', { data }),
  iframe: (src) => put('iframe', { src }),
  'iframe-sandbox': (src) => put('iframe', { src, sandbox: 'allow-scripts' }),
  'css-import': (to) => style(`@import url("${to}");`),
  'css-font': (to) => new FontFace('attack', `url("${to}")`).load(),
}

function style(text) {
  const element = document.createElement('style')
  element.textContent = text
  document.head.append(element)
  return pause(300)
}

const byScript = {
  eventsource: (to) =>
    new Promise((done) => {
      const source = new EventSource(to)
      source.onerror = source.onmessage = () => {
        source.close()
        done()
      }
    }),
  websocket: (to) => openSocket(to),
  'websocket-post': (to) => openSocket(to + (to.includes('?') ? '&' : '?') + 'method=POST'),
  'websocket-protocol': (to) => openSocket(to, ['a']),
  xhr: (to) =>
    new Promise((done) => {
      const xhr = new XMLHttpRequest()
      xhr.onloadend = done
      xhr.open('POST', to)
      xhr.send('{}')
    }),
  'fetch-keepalive': (to) => fetch(to, { method: 'POST', mode: 'no-cors', body: '{}', keepalive: true }),
  'fetch-no-referrer': (to) =>
    fetch(to, { method: 'POST', mode: 'no-cors', body: '{}', referrerPolicy: 'no-referrer' }),
  'fetch-override': (to) =>
    fetch(to, {
      method: 'POST',
      mode: 'no-cors',
      body: 'a=b',
      headers: { 'content-type': FORMS[0], 'x-http-method-override': 'POST' },
    }),
  'worker-import': (to) => inWorker(`importScripts(${JSON.stringify(to)})`),
  'worker-fetch': (to) => inWorker(`fetch(${JSON.stringify(to)}, { method: 'POST', mode: 'no-cors', body: '{}' })`),
  ping: (ping) => {
    const link = document.createElement('a')
    Object.assign(link, { href: 'about:blank', target: 'ping', ping })
    put('iframe', { name: 'ping' })
    document.body.append(link)
    link.click()
    return pause(300)
  },
}

function openSocket(to, protocols = []) {
  return new Promise((done) => {
    const socket = new WebSocket(to.replace(/^http/, 'ws'), protocols)
    socket.onopen = () => socket.send('{}')
    socket.onclose = done
  })
}

function inWorker(script) {
  new Worker(URL.createObjectURL(new Blob([`try { ${script} } catch {}`])))
  return pause(500)
}

for (const mode of ['cors', 'no-cors', 'same-origin']) {
  for (const [name, body] of Object.entries(BODIES)) {
    byScript[`fetch-${mode}-${name}`] = (to) =>
      fetch(to, { method: 'POST', mode, body: body(), credentials: 'include' })
  }
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH']) {
    byScript[`fetch-${mode}-${method}`] = (to) => fetch(to, { method, mode })
  }
}
for (const [name, body] of Object.entries(BODIES)) {
  byScript[`beacon-${name}`] = (to) => {
    navigator.sendBeacon(to, body())
    return pause(300)
  }
}

let frames = 0

/** Sends a form into a frame, or in place of the page. */
function submit(action, { method = 'POST', enctype = FORMS[0], rel = '', inPlace = false }) {
  const form = document.createElement('form')
  Object.assign(form, { method, action, enctype, rel })
  // An input's name and value make the plain text of this form a JSON object.
  form.innerHTML = `<input name='{"a":"' value='"}'>`
  if (action.includes('?')) form.append(Object.assign(document.createElement('input'), { name: 'kind', value: action }))
  if (!inPlace) form.target = `frame-${frames++}`
  const loaded = inPlace ? undefined : put('iframe', { name: form.target })
  document.body.append(form)
  form.submit()
  return loaded
}

const byForm = { 'form-get': (to) => submit(to, { method: 'GET' }) }
for (const enctype of FORMS) {
  byForm[`form-${enctype}`] = (to) => submit(to, { enctype })
  byForm[`form-${enctype}-noreferrer`] = (to) => submit(to, { enctype, rel: 'noreferrer' })
}

/** By way of the page's own server, which leads on. */
const byRedirect = (own) =>
  Object.fromEntries(
    [301, 302, 303, 307, 308].flatMap((status) => {
      const hop = (to) => `${own}/redirect?status=${status}&to=${encodeURIComponent(to)}`
      return [
        [`redirect-${status}`, (to) => fetch(hop(to), { method: 'POST', mode: 'no-cors', body: '{}' })],
        [`redirect-cors-${status}`, (to) => fetch(hop(to), { method: 'POST', body: '{}' })],
        [`redirect-form-${status}`, (to) => submit(hop(to), {}).then(() => pause(300))],
      ]
    }),
  )

/**
 * Tries everything, on every address. Where `names` is set each request says in its query which one it is.
 * @param own the origin of the page's server, if it has one
 */
async function barrage(addresses, { own, names = false } = {}) {
  const ways = { ...bySubresource, ...byScript, ...byForm, ...(own ? byRedirect(own) : {}) }
  const tries = addresses.flatMap((address) =>
    Object.entries(ways).map(async ([name, send]) => {
      await send(names ? `${address}?${name}` : address)
    }),
  )
  await Promise.allSettled(tries.map((one) => Promise.race([one, pause(2_000)])))
  return Object.keys(ways)
}

/** The same from a frame that has no origin. */
function barrageFromSandbox(addresses, options) {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts allow-forms'
  const call = `barrage(${JSON.stringify(addresses)}, ${JSON.stringify(options)})`
  // Escaped, because this file is also put into a script element.
  /* eslint-disable no-useless-escape */
  frame.srcdoc =
    `<body><script src="${location.origin}/barrage.js"><\/script>` +
    `<script>${call}.finally(() => parent.postMessage('done', '*'))<\/script>`
  /* eslint-enable no-useless-escape */
  return new Promise((done) => {
    addEventListener('message', ({ source }) => {
      if (source === frame.contentWindow) done()
    })
    document.body.append(frame)
  })
}

/** Ways that end the page, one at a time. */
const departures = {
  location: (to) => {
    location.href = to
  },
  link: (to) => {
    const link = document.createElement('a')
    link.href = to
    document.body.append(link)
    link.click()
  },
  refresh: (to) => put('meta', { 'http-equiv': 'refresh', content: `0;url=${to}` }, document.head),
  form: (to) => submit(to, { enctype: 'text/plain', inPlace: true }),
  'form-get': (to) => submit(to, { method: 'GET', inPlace: true }),
}

function depart(way, address) {
  setTimeout(() => departures[way](address), 0)
}
