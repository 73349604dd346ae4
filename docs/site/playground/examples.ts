/** By the names under which the page offers them. The first one is shown first. */
export const examples: Readonly<Record<string, string>> = {
  'Ready, then allocated': `import { createClient } from 'gameserver-sidecar'

const client = createClient({ autoHealth: true })

client.on('state', ({ state, previous }) => {
  console.log(\`state: \${previous ?? 'none'} → \${state}\`)
})

client.on('allocated', ({ labels }) => {
  console.log('Allocated: the match begins', labels)
})

await client.ready()
console.log('Ready. Press Allocate in the dashboard.')
`,

  'A list of players': `import { createClient } from 'gameserver-sidecar'
import { trackPlayers } from 'gameserver-sidecar/players'

const client = createClient({ autoHealth: true })
const players = trackPlayers(client, { list: 'players' })
await client.ready()

for (const id of ['alice', 'bob', 'carol', 'dave', 'eve']) {
  try {
    console.log(id, await players.join(id))
  } catch (error) {
    console.warn(id, error)
  }
}

setTimeout(async () => {
  console.log('bob leaves:', await players.leave('bob'))
}, 5000)
`,

  'Health stops': `import { createClient } from 'gameserver-sidecar'

let lastFrame = Date.now()
const loop = setInterval(() => { lastFrame = Date.now() }, 100)

// A beat is sent only while the game's loop runs.
const client = createClient({
  autoHealth: { check: () => Date.now() - lastFrame < 1000 },
})
client.on('state', ({ state }) => console.log('state:', state))
client.on('health', ({ ok, reason }) => { if (!ok) console.warn('no beat:', reason) })
await client.ready()

setTimeout(() => {
  clearInterval(loop)
  console.log('The game hangs. Unhealthy comes after three misses; ×10 is quicker.')
}, 5000)
`,

  'The watch drops': `import { createClient } from 'gameserver-sidecar'

const client = createClient({ autoHealth: true })

client.on('connection', ({ state, reason }) => console.log('connection:', state, reason ?? ''))
client.on('label', ({ key, value }) => console.log(\`label \${key} = \${value}\`))
await client.ready()

// Press Drop in the panel Watchers: the watch is opened again, and no label is missed.
let round = 0
setInterval(() => client.setLabel('round', String(++round)), 3000)
`,

  'Several sessions': `import { createClient } from 'gameserver-sidecar'
import { trackSessions } from 'gameserver-sidecar/players'

const client = createClient({ autoHealth: true })

// Each Allocate is a session of its own, and the counter says how many run.
trackSessions(client, {
  counter: 'rooms',
  onSession(session) {
    console.log('session', session.id, 'begins')
    setTimeout(async () => {
      await session.end()
      console.log('session', session.id, 'is over')
    }, 15_000)
  },
})

await client.ready()
`,
}
