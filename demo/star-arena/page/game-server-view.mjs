const STATES = ['Scheduled', 'RequestReady', 'Ready', 'Allocated', 'Shutdown']
/** What each state means, in the platform's eyes. */
const MEANINGS = {
  Scheduled: 'The process starts. The platform waits until the game calls ready().',
  RequestReady: 'The game has called ready().',
  Ready: 'The game has called ready(): the platform may send a match here.',
  Allocated: 'A match runs here. The platform leaves this server alone until the game calls shutdown().',
  Shutdown: 'The game has called shutdown(): the platform starts a new server in its place.',
  Unhealthy: 'The beats stopped, so the game counts as hung: the platform starts a new server in its place.',
}
const AWAY = 'The sidecar is away: the game plays on, and its client connects again by itself.'
const BAD = ['Unhealthy', 'Error']
const PREFIX = 'agones.dev/sdk-'
const MOST_NEWS = 200

const by = (id) => document.getElementById(id)

const element = (name, text, className = '') => {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  return made
}

/** Shows the GameServer as the sidecar's watch reports it. All text is set as text. */
export function createGameServerView() {
  /** The last state of a good course that this GameServer reached. */
  let reached = -1
  let isConnected = true
  let shown
  let lastBeat
  let limit
  let isMissed = false
  let newest = 0
  let known = 0

  function showStates(state) {
    const names = STATES.includes(state) ? STATES : [...STATES.slice(0, -1), state]
    const now = names.indexOf(state)
    if (STATES.includes(state)) reached = now
    by('states').replaceChildren(
      ...names.map((name, i) => {
        const item = element('li', name, i === now ? 'now' : i <= reached ? 'past' : '')
        if (BAD.includes(name)) item.classList.add('bad')
        if (i === now) item.setAttribute('aria-current', 'step')
        return item
      }),
    )
    showMeaning()
  }

  function showMeaning() {
    by('meaning').textContent = isConnected ? (MEANINGS[shown?.status.state] ?? '') : AWAY
  }

  function showMetadata({ labels, annotations }) {
    const rowsOf = (kind, entries) =>
      Object.entries(entries ?? {})
        .filter(([key]) => key.startsWith(PREFIX))
        .flatMap(([key, value]) => [element('dt', `${kind} ${key.slice(PREFIX.length)}`), element('dd', value)])
    by('metadata').replaceChildren(...rowsOf('label', labels), ...rowsOf('annotation', annotations))
  }

  function showBeat() {
    const age = lastBeat === undefined ? undefined : Math.max(0, (Date.now() - lastBeat) / 1000).toFixed(1)
    const bound = limit ? `, limit ${limit / 1000} s` : ''
    if (age === undefined) by('beat').textContent = 'no beat yet'
    else by('beat').textContent = `${isMissed ? `no beat for ${age} s` : `beat ${age} s ago`}${bound}`
  }
  setInterval(showBeat, 200)

  return {
    connection(isOpen) {
      isConnected = isOpen
      showMeaning()
    },

    gameServer(gameServer) {
      const { object_meta: meta, status } = gameServer
      if (meta.name !== shown?.object_meta.name) reached = -1
      shown = gameServer
      by('gs-name').textContent = meta.name
      showStates(status.state)
      showMetadata(meta)
      const { count = '0', capacity = '0' } = status.counters?.players ?? {}
      by('count').textContent = `${count} / ${capacity}`
      const names = status.lists?.roster?.values ?? []
      by('roster').replaceChildren(
        ...(names.length > 0 ? names.map((name) => element('li', name)) : [element('li', 'nobody', 'none')]),
      )
    },

    beat(beat) {
      const heart = by('heart')
      limit = beat.limit
      isMissed = beat.ok === false
      heart.title = beat.reason ?? ''
      heart.classList.toggle('ok', beat.ok === true)
      heart.classList.toggle('bad', beat.ok === false)
      if (beat.ok) {
        lastBeat = beat.at
        heart.classList.remove('beat')
        void heart.offsetWidth // so that the animation starts again
        heart.classList.add('beat')
      }
      showBeat()
    },

    news(items) {
      const list = by('news')
      for (const { kind, text, at } of items) {
        if (at <= known) continue
        newest = at
        const row = element('li', '', kind)
        const time = element('time', new Date(at).toTimeString().slice(0, 8))
        row.append(time, element('b', kind), element('span', text))
        list.append(row)
      }
      while (list.children.length > MOST_NEWS) list.firstChild.remove()
      list.scrollTop = list.scrollHeight
    },

    /** A new connection sends the news from the beginning. */
    reset() {
      known = newest
      lastBeat = limit = undefined
      isMissed = false
      isConnected = true
      by('heart').className = 'heart'
    },
  }
}
