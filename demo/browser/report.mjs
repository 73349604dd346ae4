const { NO_COLOR, TERM } = process.env
const colorful = process.stdout.isTTY === true && !NO_COLOR && TERM !== 'dumb'
const style = (code) => (text) => (colorful ? `\u001b[${code}m${text}\u001b[0m` : text)
const dim = style(2)
const bold = style(1)
const red = style(31)

/** Kinds of news that are named by their source. All other kinds come from the watch. */
const SOURCES = ['trouble', 'host', 'exit', 'browser', 'page', 'player', 'platform']

/** Prints what happens, one line each, with the seconds since the start. */
export function createReport() {
  const start = Date.now()

  function line(source, text) {
    const seconds = ((Date.now() - start) / 1000).toFixed(2).padStart(6)
    console.log(`${dim(`${seconds} s`)}  ${source.padEnd(8)} ${text}`)
  }

  return {
    /** An event: its source, and the event in words. */
    news({ kind, text }) {
      if (SOURCES.includes(kind)) line(kind, kind === 'trouble' ? red(text) : text)
      else line('watch', `${kind.padEnd(11)}${kind === 'state' ? bold(text) : text}`)
    },
  }
}

/** Puts the changes that the sidecar's watch reports into words. `tell(kind, text, data)` is called for each change. */
export function tellChanges(sidecar, tell) {
  sidecar.on('state', ({ state, previous }) =>
    tell('state', previous === undefined ? state : `${previous} → ${state}`, { state, first: previous === undefined }),
  )
  sidecar.on('label', ({ key, value }) => tell('label', setting(key, value), { key, value }))
  sidecar.on('annotation', ({ key, value }) => tell('annotation', setting(key, value), { key, value }))
  sidecar.on('counter', ({ name, count, capacity }) =>
    tell('counter', `${name} ${count} of ${capacity}`, { name, count }),
  )
  sidecar.on('list', ({ name, capacity, values, added, removed }) => {
    const moves = [...added.map((value) => `+ ${value}`), ...removed.map((value) => `- ${value}`)]
    tell('list', `${name} ${values.length} of ${capacity} ${moves.join(', ')}`.trimEnd(), { name, values })
  })
  sidecar.on('connection', ({ state, transport, reason }) =>
    tell('connection', [state, transport && `over ${transport}`, reason && `(${reason})`].filter(Boolean).join(' '), {
      state,
    }),
  )

  let healthy
  sidecar.on('health', ({ ok, reason }) => {
    if (ok !== healthy) tell('health', ok ? 'the sidecar takes our beats' : `no beat: ${reason}`, { ok })
    healthy = ok
  })
}

const setting = (key, value) => (value === undefined ? `${key} removed` : `${key} = ${value}`)

/** Puts an event of the host into words. */
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
