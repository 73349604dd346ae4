/**
 * Web-like transports for a script VM that has none. The host must only give one function that takes a string, and call
 * another with a string. They are as bare as those of real engines: sockets with `on*` properties alone
 * and plain events, `onopen` without an argument, no headers object beyond `get`. ES2017 without any global.
 */
export function createTransports(post) {
  const targets = new Map()
  let lastId = 0

  function open(target, message) {
    lastId += 1
    targets.set(lastId, target)
    message.id = lastId
    post(JSON.stringify(message))
    return lastId
  }

  /** Called by the host with what has come for one of the targets. */
  function deliver(text) {
    const message = JSON.parse(text)
    const target = targets.get(message.id)
    if (message.type === 'end' || message.type === 'error' || message.type === 'close') targets.delete(message.id)
    if (target) target[message.type](message)
  }

  function cancel(id) {
    if (targets.delete(id)) post(JSON.stringify({ type: 'cancel', id }))
  }

  function WebSocket(url) {
    const socket = this
    socket.readyState = 0
    socket.onopen = socket.onmessage = socket.onerror = socket.onclose = null
    const id = open(
      {
        open() {
          socket.readyState = 1
          if (socket.onopen) socket.onopen()
        },
        message({ data }) {
          if (socket.onmessage) socket.onmessage({ data })
        },
        error() {},
        close({ code }) {
          socket.readyState = 3
          if (code !== 1000 && socket.onerror) socket.onerror({})
          if (socket.onclose) socket.onclose({ code })
        },
      },
      { type: 'socket', url },
    )
    socket.close = () => {
      socket.readyState = 2
      cancel(id)
    }
  }

  /** `progressive`: whether the text can be read as it comes, or only at the end. */
  function xmlHttpRequest(progressive) {
    return function XMLHttpRequest() {
      const xhr = this
      const headers = {}
      let request, received, id
      const become = (state) => {
        xhr.readyState = state
        if (xhr.onreadystatechange) xhr.onreadystatechange({})
      }
      xhr.readyState = xhr.status = 0
      xhr.responseText = ''
      xhr.onreadystatechange = null
      xhr.open = (method, url) => {
        request = { type: 'request', method, url, headers }
      }
      xhr.setRequestHeader = (name, value) => {
        headers[name] = value
      }
      xhr.getResponseHeader = (name) => received[name.toLowerCase()] || null
      xhr.abort = () => {
        cancel(id)
      }
      let text = ''
      xhr.send = (body) => {
        if (body !== undefined && body !== null) request.body = body
        id = open(
          {
            head(message) {
              xhr.status = message.status
              received = message.headers
              become(2)
            },
            chunk(message) {
              text += message.text
              if (!progressive) return
              xhr.responseText = text
              become(3)
            },
            end() {
              xhr.responseText = text
              become(4)
            },
            error() {
              xhr.status = 0
              become(4)
            },
          },
          request,
        )
      }
    }
  }

  function fetch(url, init) {
    return new Promise((resolve, reject) => {
      const chunks = []
      let wake, failure
      let ended = false
      const change = () =>
        new Promise((next) => {
          wake = next
        })
      const end = (error) => {
        ended = true
        failure = error
        if (wake) wake()
      }
      const reader = {
        async read() {
          while (chunks.length === 0 && !ended) await change()
          if (chunks.length > 0) return { done: false, value: new Uint8Array(chunks.shift()) }
          if (failure) throw failure
          return { done: true }
        },
        cancel: async () => {
          cancel(id)
        },
      }
      const id = open(
        {
          head({ status, headers }) {
            const get = (name) => headers[name.toLowerCase()] || null
            resolve({ status, headers: { get }, body: { getReader: () => reader } })
          },
          chunk(message) {
            chunks.push(message.bytes)
            if (wake) wake()
          },
          end() {
            end()
          },
          error({ message }) {
            end(new TypeError(message))
            reject(failure)
          },
        },
        { type: 'request', method: init.method, url, headers: init.headers, body: init.body },
      )
    })
  }

  /** A TCP connection, as an engine gives it. */
  function connect({ host, port }) {
    let onData, onClose
    const id = open(
      {
        bytes(message) {
          onData(new Uint8Array(message.bytes))
        },
        close({ message }) {
          onClose(message && new Error(message))
        },
      },
      { type: 'connect', host, port },
    )
    return {
      write(bytes) {
        post(JSON.stringify({ type: 'write', id, bytes: Array.from(bytes) }))
      },
      close() {
        cancel(id)
      },
      onData(listener) {
        onData = listener
      },
      onClose(listener) {
        onClose = listener
      },
    }
  }

  return { deliver, WebSocket, xmlHttpRequest, fetch, connect }
}
