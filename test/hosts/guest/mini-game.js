/**
 * A mini-game platform emulated: a CommonJS module runs in a function; an adapter script puts XMLHttpRequest and
 * WebSocket over the platform's own calls. There is no fetch, no text before the end of an answer, no AbortController,
 * no TextDecoder; sockets have `on*` properties, plain events, and `onopen` without an argument.
 */
;(function (root) {
  root.GameGlobal = root
  root.window = root
  root.XMLHttpRequest = transports.xmlHttpRequest(false)
  root.WebSocket = transports.WebSocket
  root.setTimeout = function (callback, ms) {
    root.timers.set(++root.lastTimer, { callback: callback, due: Date.now() + ms })
    return root.lastTimer
  }
  root.clearTimeout = function (id) {
    root.timers.delete(id)
  }
  root.timers = new Map()
  root.lastTimer = 0
  root.frame = function () {
    Array.from(root.timers).forEach(function (entry) {
      if (entry[1].due <= Date.now() && root.timers.delete(entry[0])) entry[1].callback()
    })
  }
})(this)
