/** Puts what the sidecar's watch reports into words. `tell(kind, text, data)` is called for each change. */
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
