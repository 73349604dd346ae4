/**
 * What a native build of Cocos Creator 3.8 gives to scripts, as far as it matters to a client, emulated after its
 * engine's sources: `fetch` is a polyfill over XMLHttpRequest that can't stream, sockets and requests have `on*`
 * properties and plain events, `TextDecoder` takes exactly one array, `URL` is a shim that can do nothing, timers run
 * with the frames.
 */
;(function (root) {
  var XMLHttpRequest = transports.xmlHttpRequest(false)
  var timers = new Map()
  var lastTimer = 0

  root.window = root.self = root.global = root
  root.jsb = {}
  root.location = { href: '', protocol: '', search: '' }
  root.navigator = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 16_0 like Mac OS X)' }
  root.document = { currentScript: null }
  root.performance = {
    now: function () {
      return Date.now()
    },
  }
  root.XMLHttpRequest = XMLHttpRequest
  root.WebSocket = transports.WebSocket

  root.fetch = function (url, init) {
    if (this !== undefined && this !== root) throw new TypeError('Illegal invocation')
    return new Promise(function (resolve, reject) {
      var xhr = new XMLHttpRequest()
      xhr.onreadystatechange = function () {
        if (xhr.readyState !== 4) return
        if (xhr.status === 0) return reject(new TypeError('Network request failed'))
        resolve({
          status: xhr.status,
          ok: xhr.status < 300,
          headers: {
            get: function (name) {
              return xhr.getResponseHeader(name)
            },
          },
          text: function () {
            return Promise.resolve(xhr.responseText)
          },
        })
      }
      xhr.open(init.method, url, true)
      Object.keys(init.headers).forEach(function (name) {
        xhr.setRequestHeader(name, init.headers[name])
      })
      xhr.send(init.body)
    })
  }

  root.TextDecoder = function TextDecoder() {
    this.decode = function (bytes) {
      if (arguments.length !== 1 || !(bytes instanceof Uint8Array)) throw new TypeError('decode takes one typed array')
      var escaped = ''
      for (var i = 0; i < bytes.length; i++) escaped += (bytes[i] < 16 ? '%0' : '%') + bytes[i].toString(16)
      return decodeURIComponent(escaped)
    }
  }

  root.URL = function URL() {
    throw new Error('URL is a shim')
  }

  root.setTimeout = function (callback, ms) {
    timers.set(++lastTimer, { callback: callback, due: Date.now() + ms })
    return lastTimer
  }
  root.clearTimeout = function (id) {
    timers.delete(id)
  }

  var components = []
  var totalFrames = 0

  root.cc = {
    Component: function Component() {},
    director: {
      getTotalFrames: function () {
        return totalFrames
      },
      mainLoop: function () {
        totalFrames++
        components.forEach(function (component) {
          component.update(0.016)
        })
        Array.from(timers).forEach(function (entry) {
          if (entry[1].due > Date.now() || !timers.delete(entry[0])) return
          entry[1].callback()
        })
      },
    },
    /** As when a scene with a node is loaded. */
    addComponent: function (Component) {
      var component = new Component()
      component.onLoad()
      components.push(component)
      return component
    },
  }
})(this)
