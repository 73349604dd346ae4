const STATES = ['Scheduled', 'RequestReady', 'Ready', 'Allocated', 'Shutdown']
const BAD = ['Unhealthy', 'Error']
const PREFIX = 'agones.dev/sdk-'
/** What the game server tells besides changes of its GameServer, and what isn't shown there. */
const NOT_FROM_THE_WATCH = ['match', 'listening', 'health', 'connection']
const MOST_NEWS = 200

const by = (id) => document.getElementById(id)

const element = (name, text, className = '') => {
  const made = document.createElement(name)
  made.textContent = text
  made.className = className
  return made
}

/** Shows the GameServer as the game server passes it on from its sidecar. All text is set as text. */
export function createSidecarView() {
  let lastBeat
  let limit
  let newest = 0
  let known = 0

  function showStates(state) {
    const names = STATES.includes(state) ? STATES : [...STATES, state]
    const now = names.indexOf(state)
    by('states').replaceChildren(
      ...names.map((name, i) => {
        const item = element('li', name, i < now && now < STATES.length ? 'past' : i === now ? 'now' : '')
        if (BAD.includes(name)) item.classList.add('bad')
        if (i === now) item.setAttribute('aria-current', 'step')
        return item
      }),
    )
  }

  function showMetadata({ labels, annotations }) {
    const rows = [...Object.entries(labels ?? {}), ...Object.entries(annotations ?? {})].flatMap(([key, value]) => [
      element('dt', key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key),
      element('dd', value),
    ])
    by('metadata').replaceChildren(...rows)
  }

  function showAge() {
    if (lastBeat === undefined) return
    const seconds = Math.max(0, (Date.now() - lastBeat) / 1000).toFixed(1)
    by('beat').textContent = `last beat ${seconds} s ago${limit === undefined ? '' : ` (limit ${limit / 1000} s)`}`
  }
  setInterval(showAge, 200)

  return {
    gameServer({ object_meta: meta, status }) {
      by('gs-name').textContent = meta.name
      showStates(status.state)
      showMetadata(meta)
      const { count = '0', capacity = '0' } = status.counters?.players ?? {}
      by('count').textContent = `${count} / ${capacity}`
      by('count-bar').style.width = `${Number(capacity) > 0 ? (Number(count) / Number(capacity)) * 100 : 0}%`
      const names = status.lists?.roster?.values ?? []
      by('roster').replaceChildren(
        ...(names.length > 0 ? names.map((name) => element('li', name)) : [element('li', 'empty', 'none')]),
      )
    },

    beat(beat) {
      const heart = by('heart')
      limit = beat.limit
      heart.classList.toggle('ok', beat.ok === true)
      heart.classList.toggle('bad', beat.ok === false)
      heart.title = beat.reason ?? 'Health'
      if (!beat.ok) return
      lastBeat = beat.at
      showAge()
      heart.classList.remove('beat')
      void heart.offsetWidth // so that the animation starts anew
      heart.classList.add('beat')
    },

    news(items) {
      const list = by('news')
      for (const { kind, text, at, first } of items) {
        if (NOT_FROM_THE_WATCH.includes(kind) || at <= known) continue
        newest = at
        const row = element('li', '', first ? 'first' : '')
        row.append(
          element('time', new Date(at).toTimeString().slice(0, 8)),
          element('span', kind, 'kind'),
          element('span', text, kind),
        )
        list.append(row)
      }
      while (list.children.length > MOST_NEWS) list.firstChild.remove()
      list.scrollTop = list.scrollHeight
    },

    /** A new connection: what comes first was perhaps told by the last one already. */
    reset() {
      known = newest
      lastBeat = limit = undefined
      by('beat').textContent = 'no beat yet'
      by('heart').className = 'heart'
    },
  }
}
