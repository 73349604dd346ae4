/** Puts an event of the host into words, see `report.mjs`. */
export function tellHost(event, tell) {
  switch (event.event) {
    case 'listening':
      return tell('host', `players come in at ${event.players}`)
    case 'browser':
      return tell('browser', `${event.version}, ${event.sandbox ? 'in its sandbox' : 'without a sandbox'}`)
    case 'booted':
      return tell('host', `the page has made its first step, after ${event.ms} ms`)
    case 'console':
      return tell(event.level === 'error' ? 'trouble' : 'page', event.text)
    case 'connection': {
      const { id, state, code, reason } = event
      const why = [code, reason].filter(Boolean).join(' ')
      return tell('player', state === 'open' ? `#${id} is connected` : `#${id} is gone${why && ` (${why})`}`)
    }
    case 'warning':
      return tell('host', event.text)
    case 'crash':
      return tell('trouble', event.reason)
    case 'hang':
      return tell('trouble', [event.reason, event.stack].filter(Boolean).join('\n'))
    case 'shutdown':
      return tell('host', `tells the page to end: ${event.signal}`)
    case 'exit':
      return tell('exit', `${event.code}: ${event.reason}`, { code: event.code })
    default:
  }
}
