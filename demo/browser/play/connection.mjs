const RETRY_MS = 500

/**
 * A connection to whichever game server there is, made anew with the next one when it ends. Where that is says
 * `?server=ws://ADDRESS`, or else the matchmaker.
 *
 * `on.open()`, `on.message(message)` and `on.close(code)` are told of it; the code is undefined if there was
 * none to connect to.
 */
export function connectToServer(on) {
  const given = new URLSearchParams(location.search).get('server')
  let socket

  async function matchmaker() {
    const response = await fetch('server')
    return (await response.json()).address
  }

  async function connect() {
    const address = given ?? (await matchmaker().catch(() => undefined))
    if (address === undefined) return retry(undefined)
    let wasOpen = false
    socket = new WebSocket(address)
    socket.onopen = () => {
      wasOpen = true
      on.open()
    }
    socket.onmessage = ({ data }) => on.message(JSON.parse(data))
    socket.onclose = ({ code }) => retry(wasOpen ? code : undefined)
  }

  function retry(code) {
    on.close(code)
    setTimeout(connect, RETRY_MS)
  }

  void connect()
  return {
    /** Whether there is somebody to send it to. */
    send(message) {
      const isOpen = socket?.readyState === WebSocket.OPEN
      if (isOpen) socket.send(JSON.stringify(message))
      return isOpen
    },
  }
}
