import { describe, expect, test } from 'vitest'
import { initIn } from './support.js'

const SERVER = { dependencies: { 'gameserver-sidecar': '1', ws: '8' }, scripts: { start: 'node server.mjs' } }

/** The counters and lists in the fleet.yaml of a program with this code. */
async function placesOf(code: string, content: object = SERVER, file = 'server.mjs', ...args: string[]) {
  const { code: exit, text } = await initIn(content, { [file]: code }, ...args)
  expect(exit).toBe(0)
  const fleet = await text('fleet.yaml')
  return [...fleet.matchAll(/^ {6}(counters|lists):\n {8}(\S+):\n(?: {10}count: 0\n)? {10}capacity: (\d+)/gm)].map(
    ([, what, name, capacity]) => `${what} ${name}=${capacity}`,
  )
}

describe('the Fleet of a program', () => {
  test.each([
    ['attachServer() of ws', "import { attachServer } from 'gameserver-sidecar/ws'", ['lists players=16']],
    [
      'attachServer() of Socket.IO',
      "const { attachServer } = require('gameserver-sidecar/socket.io')",
      ['lists players=16'],
    ],
    ['attachServer() of Colyseus', "import 'gameserver-sidecar/colyseus'", ['lists players=16']],
    [
      'trackPlayers() without a name',
      "import { trackPlayers } from 'gameserver-sidecar/players'\ntrackPlayers(client, { noShow: 5 })",
      ['lists players=16'],
    ],
    [
      'trackPlayers() with a list',
      "import { trackPlayers } from 'gameserver-sidecar/players'\ntrackPlayers(client, { noShow: 5, list: 'guests' })",
      ['lists guests=16'],
    ],
    [
      'trackPlayers() with a counter, beside trackSessions()',
      "import { trackPlayers, trackSessions } from 'gameserver-sidecar/players'\n" +
        "trackSessions(client, { counter: 'rooms' })\ntrackPlayers(client, { counter: 'seats' })",
      ['counters seats=16'],
    ],
    [
      'the option players of attachServer()',
      "import { attachServer } from 'gameserver-sidecar/ws'\nattachServer(io, { players: { list: 'crew' } })",
      ['lists crew=16'],
    ],
  ])('that takes seats by %s has them', async (_, code, expected) => {
    expect(await placesOf(code)).toEqual(expected)
  })

  test.each([
    ['players: false', "import { attachServer } from 'gameserver-sidecar/ws'\nattachServer(s, { players: false })"],
    ['sessions alone', "import { trackSessions } from 'gameserver-sidecar/players'\ntrackSessions(client)"],
    ['the client alone', "import { createClient } from 'gameserver-sidecar'\n// import 'gameserver-sidecar/ws'"],
  ])('with %s has no seats', async (_, code) => {
    expect(await placesOf(code)).toEqual([])
  })

  test('has the seats that the sources take if the program is the output of a build', async () => {
    const content = { ...SERVER, main: 'dist/main.js', scripts: { build: 'tsc' } }
    expect(await placesOf("import 'gameserver-sidecar/ws'", content, 'src/main.ts')).toEqual(['lists players=16'])
  })

  test('has the list that a flag names instead, and a counter beside the seats', async () => {
    const code = "import 'gameserver-sidecar/ws'"
    expect(await placesOf(code, SERVER, 'server.mjs', '--list', 'crew=4')).toEqual(['lists crew=4'])
    expect(await placesOf(code, SERVER, 'server.mjs', '--counter', 'rooms=4')).toEqual([
      'counters rooms=4',
      'lists players=16',
    ])
  })

  test('replaces a server that sends no beat for --health seconds', async () => {
    const { text } = await initIn(SERVER, { 'server.mjs': '' }, '--health', '30')
    expect(await text('fleet.yaml')).toContain('\n        periodSeconds: 10\n        failureThreshold: 3\n')
  })
})

describe('of a program, init reports', () => {
  const dev = { devDependencies: { husky: '9', '@types/ws': '8', 'pino-pretty': '13', ws: '8' } }

  test('the devDependencies that its code imports, and not those in its texts and comments', async () => {
    const code = `import { pino } from 'pino'
      // import ws from 'ws'
      const log = pino({ transport: { target: 'pino-pretty' } })
      log.info("import ws from 'ws'", 'ws', \`require('ws')\`, Array.from('ws'))`
    const { out } = await initIn({ ...dev, main: 'server.js' }, { 'server.js': code })
    expect(out).not.toContain('devDependency')
  })

  test.each([
    ['postinstall', 'husky install', {}],
    ['prepare', 'npm run x && lint-it .', { 'node_modules/husky/package.json': '{"bin": {"lint-it": "a.js"}}' }],
  ])('a %s script that runs a devDependency', async (name, script, files) => {
    const { out } = await initIn({ ...dev, scripts: { [name]: script } }, { 'server.js': '', ...files })
    expect(out).toContain(
      `The script ${name} runs husky, which is a devDependency, so the install in docker build fails: run "npm install husky"`,
    )
  })

  test.each([
    ['a file .env', {}, { '.env': 'A=1' }],
    ['--env-file in npm start', { scripts: { start: 'node --env-file=.env server.js' } }, {}],
  ])('%s, which the image goes without', async (_, content, files) => {
    const { out } = await initIn(content, { 'server.js': '', ...files })
    expect(out).toContain(
      'The image goes without .env, which .dockerignore lists: give its variables as env in fleet.yaml',
    )
  })

  test.each([
    ['game', /The image game has no tag of its own, .*: write game:1, and a new tag/],
    ['registry.example:5000/game', /has no tag of its own/],
    ['game:latest', /The image game:latest has no tag of its own, .*: write game:1/],
    ['game:2', undefined],
    [`game@sha256:${'0'.repeat(64)}`, undefined],
  ])('of the image %s whether each start would pull it', async (image, sentence) => {
    const { out } = await initIn({}, { 'server.js': '' }, '--image', image)
    if (sentence === undefined) expect(out).not.toContain('no tag')
    else expect(out).toMatch(sentence)
  })
})
