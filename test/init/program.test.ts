import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { init, initIn } from './support.js'

type Files = Readonly<Record<string, string>>

const SERVER = { dependencies: { 'gameserver-sidecar': '1', ws: '8' }, scripts: { start: 'node server.mjs' } }
const NEST = { start: 'nest start', 'start:prod': 'node dist/main', build: 'nest build' }
const COLYSEUS = { start: 'tsx watch src/index.ts', build: 'npm run clean && tsc', clean: 'rimraf build' }

/** The program that the image starts, with what runs it. */
const STARTED = /\nENTRYPOINT \["\/usr\/bin\/tini", "--", "\/usr\/local\/bin\/(\w+)", "\/server\/(.*)"\]\n$/

async function startedIn(content: object, files: Files) {
  const { code, out, text } = await initIn(content, files)
  expect({ code, out }).toMatchObject({ code: 0 })
  const docker = await text('Dockerfile')
  expect(validate(docker)).toEqual([])
  const [, runtime, program] = STARTED.exec(docker) ?? []
  return { out, docker, program: program === undefined ? undefined : `${runtime} ${program}` }
}

describe('the image starts the program, and init says why it took the project for one:', () => {
  const main = { 'src/index.ts': '', 'server.js': '', 'dist/index.html': '' }
  test.each<[what: string, content: object, files: Files, program: string, why: string]>([
    [
      'NestJS',
      { scripts: NEST, dependencies: { '@nestjs/core': '11' } },
      { 'src/main.ts': '' },
      'node dist/main.js',
      'npm run start:prod runs dist/main.js',
    ],
    [
      'Colyseus, whose build makes the main file',
      { main: 'build/index.js', scripts: COLYSEUS, dependencies: { '@colyseus/core': '0.16' } },
      { 'src/index.ts': '' },
      'node build/index.js',
      'it depends on @colyseus/core',
    ],
    [
      'the main file',
      { scripts: { start: 'node .' }, main: 'server.js', dependencies: { fastify: '5' } },
      main,
      'node server.js',
      'npm start runs server.js',
    ],
    [
      'the output of tsc',
      { scripts: { build: 'tsc', start: 'npm run build && node build' } },
      {},
      'node build/index.js',
      'npm start runs build/index.js',
    ],
    [
      'a script that runs another',
      { scripts: { start: 'npm run go', go: 'NODE_ENV=x node server.js' } },
      main,
      'node server.js',
      'npm start runs server.js',
    ],
    ['Bun', { scripts: { start: 'bun run src/index.ts' } }, main, 'bun src/index.ts', 'npm start runs src/index.ts'],
    ['tsx', { scripts: { start: 'tsx watch src/index.ts' } }, main, 'node src/index.ts', 'npm start runs src/index.ts'],
    [
      'cross-env',
      { scripts: { start: 'cross-env A=b node -r a/b src/index.ts' } },
      main,
      'node src/index.ts',
      'npm start runs',
    ],
    [
      'preloaded modules before the output of a build',
      { scripts: { build: 'tsc', start: 'node -r dotenv/config --import ./server.js dist/main.js' } },
      main,
      'node dist/main.js',
      'npm start runs dist/main.js',
    ],
    [
      'a file of variables',
      { scripts: { start: 'node --env-file .env server.js' } },
      { ...main, '.env': '' },
      'node server.js',
      'npm start runs server.js',
    ],
    [
      'what PM2 starts',
      { scripts: { build: 'tsc', start: 'pm2-runtime start dist/main.js -i 2' } },
      {},
      'node dist/main.js',
      'npm start runs dist/main.js',
    ],
    [
      'nodemon, which also watches a folder with an index.js',
      { scripts: { start: 'nodemon --watch lib server.js' } },
      { ...main, 'lib/index.js': '' },
      'node server.js',
      'npm start runs server.js',
    ],
    [
      'exec',
      { scripts: { start: 'gameserver-sidecar exec -f fleet.yaml --restart -- node server.js' } },
      main,
      'node server.js',
      'npm start runs',
    ],
    [
      'a server package and a usual name',
      { dependencies: { 'socket.io': '4' } },
      main,
      'node server.js',
      'it depends on socket.io',
    ],
    [
      'main of package.json',
      { main: './src/index.ts' },
      main,
      'node src/index.ts',
      'main of package.json is src/index.ts',
    ],
  ])('%s', async (_, content, files, expected, why) => {
    const { program, out } = await startedIn(content, files)
    expect(program).toBe(expected)
    expect(out).toContain(`Taken for a program, since ${why}`)
    expect(out).toContain('; for a page give --kind page.')
  })

  test('a main file that the page itself loads makes no program', async () => {
    const files = { 'index.html': '<script src="./game.js"></script>', 'game.js': '' }
    expect((await startedIn({ main: 'game.js' }, files)).program).toBeUndefined()
  })
})

describe('init writes nothing, and ends with the two commands to choose from', () => {
  const fastify = { main: 'app.js', scripts: { start: 'fastify start -l info app.js' }, dependencies: { fastify: '5' } }

  test.each<[what: string, content: object, files: Files, message: string, entry: string]>([
    [
      'for Deno',
      {},
      { 'deno.json': '{}', 'main.ts': '' },
      'main.ts is for Deno, for which init writes no image',
      'main.ts # if Node runs it',
    ],
    [
      "where a framework's command starts the server",
      fastify,
      { 'app.js': '' },
      'npm start runs "fastify start -l info app.js", which names no program for Node',
      'server.mjs',
    ],
    [
      'where the program of a server is missing',
      { dependencies: { ws: '8' } },
      {},
      'the project is a server, since it depends on ws, but no script starts a program that is there',
      'server.mjs',
    ],
    [
      'where nothing is a page or a program',
      { scripts: { test: 'jest' } },
      {},
      'nothing in the project is a page (index.html, a bundler of pages) or a program',
      'server.mjs',
    ],
    [
      'for a workspace',
      { workspaces: ['a'], scripts: { start: 'npm start -w a' } },
      {},
      'npm start runs "npm start -w a", which names no program for Node',
      'server.mjs',
    ],
  ])('%s', async (_, content, files, message, entry) => {
    const { folder, code, out, err, names } = await initIn(content, files)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    const [sentence, ...commands] = err.split('\n')
    expect(sentence).toContain(`Nothing was written: ${message}`)
    expect(commands).toEqual([
      expect.stringContaining(`  npx gameserver-sidecar init --into ${folder} --entry ${entry}`),
      `  npx gameserver-sidecar init --into ${folder} --kind page --dir dist`,
    ])
    expect(names).not.toContain('Dockerfile')
  })

  test('after the program is named, init writes all files, and a second run names what differs', async () => {
    const { folder, text } = await initIn(fastify, { 'app.js': '' }, '--entry', 'app.js')
    expect(STARTED.exec(await text('Dockerfile'))?.[2]).toBe('app.js')
    const { code, out } = await init(folder, '--image', 'other:2')
    expect({ code, out }).toMatchObject({ code: 64 })
    const again = await init(folder, '--entry', 'package.json')
    expect(again).toMatchObject({ code: 0 })
    expect(again.out).toMatch(/Dockerfile:\d+ .*ENTRYPOINT .*package\.json/)
  })

  test("a program that isn't there, and that no build can make, is refused", async () => {
    const { code, err } = await initIn({}, {}, '--entry', 'main.js')
    expect(code).toBe(64)
    expect(err).toBe('--entry must be a file of the project, since there is no build script to make it; got "main.js".')
  })
})

/** The counters and lists in the fleet.yaml of a program with this code. */
async function placesOf(code: string, content: object = SERVER, file = 'server.mjs', ...args: string[]) {
  const { code: exit, text } = await initIn(content, { [file]: code }, ...args)
  expect(exit).toBe(0)
  const fleet = await text('fleet.yaml')
  return [...fleet.matchAll(/^ {6}(counters|lists):\n {8}(\S+):\n(?: {10}count: 0\n)? {10}capacity: (\d+)/gm)].map(
    ([, what, name, capacity]) => `${what} ${name}=${capacity}`,
  )
}

describe('the Fleet of a program has the seats that its code takes:', () => {
  const tracking = "import { trackPlayers, trackSessions } from 'gameserver-sidecar/players'\n"
  test.each([
    ["import { attachServer } from 'gameserver-sidecar/ws'", ['lists players=16']],
    ["const { attachServer } = require('gameserver-sidecar/socket.io')", ['lists players=16']],
    ["import 'gameserver-sidecar/colyseus'", ['lists players=16']],
    [`${tracking}trackPlayers(client, { noShow: 5 })`, ['lists players=16']],
    [`${tracking}trackPlayers(client, { noShow: 5, list: 'guests' })`, ['lists guests=16']],
    [
      `${tracking}trackSessions(client, { counter: 'rooms' })\ntrackPlayers(client, { counter: 'seats' })`,
      ['counters seats=16'],
    ],
    [
      "import { attachServer } from 'gameserver-sidecar/ws'\nattachServer(io, { players: { list: 'crew' } })",
      ['lists crew=16'],
    ],
    ["import { attachServer } from 'gameserver-sidecar/ws'\nattachServer(s, { players: false })", []],
    [`${tracking}trackSessions(client)`, []],
    ["import { createClient } from 'gameserver-sidecar'\n// import 'gameserver-sidecar/ws'", []],
  ])('%j', async (code, expected) => {
    expect(await placesOf(code)).toEqual(expected)
  })

  test('those of the sources if a build makes the program', async () => {
    const content = { ...SERVER, main: 'dist/main.js', scripts: { build: 'tsc' } }
    expect(await placesOf("import 'gameserver-sidecar/ws'", content, 'src/main.ts')).toEqual(['lists players=16'])
  })

  test('the list that a flag names instead, and a counter beside the seats', async () => {
    const code = "import 'gameserver-sidecar/ws'"
    expect(await placesOf(code, SERVER, 'server.mjs', '--list', 'crew=4')).toEqual(['lists crew=4'])
    const both = await placesOf(code, SERVER, 'server.mjs', '--counter', 'rooms=4')
    expect(both).toEqual(['counters rooms=4', 'lists players=16'])
  })
})

test('a server that sends no beat for --health seconds is replaced', async () => {
  const { text } = await initIn(SERVER, { 'server.mjs': '' }, '--health', '30')
  expect(await text('fleet.yaml')).toContain('\n        periodSeconds: 10\n        failureThreshold: 3\n')
})

describe('init reports', () => {
  test('a build folder that is not there yet', async () => {
    const { out } = await startedIn({ scripts: { build: 'build' }, devDependencies: { vite: '8' } }, {})
    expect(out).toContain('There is no dist/index.html yet: npm run build has to make it in the image')
  })

  test('the devDependencies that the program imports, also indirectly, and no others', async () => {
    const dev = ['ws', '@team/lib', 'fits', 'mocha', 'pino-pretty']
    const { out } = await startedIn(
      { main: 'src/server.ts', devDependencies: Object.fromEntries(dev.map((name) => [name, '1'])) },
      {
        'src/server.ts': "import { play } from './rooms/room.js'\n// It doesn't matter\nawait import('@team/lib/part')",
        'src/rooms/room.ts': "import type { Fit } from 'fits'\nimport '..'\nexport { play } from '../lib/play'",
        'src/lib/play/index.ts': "const ws = require('ws/lib/part')\nlog(\"import a from 'pino-pretty'\", 'mocha')",
      },
    )
    expect(out).toContain(
      'src/lib/play/index.ts imports ws, which is a devDependency, so the image goes without it: run "npm install ws".',
    )
    expect(out).toContain('src/server.ts imports @team/lib,')
    expect(out).not.toMatch(/fits|mocha|pino/)
  })

  test('tsx among the devDependencies, which a TypeScript program is started with', async () => {
    const content = { scripts: { start: 'tsx server.ts' }, devDependencies: { tsx: '4' } }
    const { out, docker } = await startedIn(content, { 'server.ts': '' })
    expect(out).toContain('server.ts needs tsx, which is a devDependency')
    expect(docker).toContain('NODE_OPTIONS="--import tsx"')
  })

  test.each([
    ['dist\n', true],
    ['node_modules\n', false],
  ])('of an existing .dockerignore with %j whether it lacks node_modules', async (ignored, isTold) => {
    const { out } = await startedIn({}, { 'dist/index.html': '', '.dockerignore': ignored })
    expect(out.includes("The existing .dockerignore doesn't list node_modules")).toBe(isTold)
  })

  test.each([
    ['game', /The image game has no tag of its own, .*: write game:1, and a new tag/],
    ['game:latest', /The image game:latest has no tag of its own, .*: write game:1/],
    ['registry.example:5000/game', /has no tag of its own/],
    ['game:2', /^(?!.*no tag)/s],
    [`game@sha256:${'0'.repeat(64)}`, /^(?!.*no tag)/s],
  ])('the image %s if each start would pull it', async (image, sentence) => {
    expect((await initIn({}, { 'server.js': '' }, '--image', image)).out).toMatch(sentence)
  })
})

test('the manifests say where a program may write', async () => {
  const { text } = await initIn({}, { 'server.mjs': '' })
  expect(await text('fleet.yaml')).toMatch(/# .*EROFS/)
})

test('a file of package.json whose path needs escapes stays out of the Dockerfile', async () => {
  const content = { dependencies: { 'gameserver-sidecar': 'file:a.tgz ./\nRUN reboot\n#' } }
  const { docker } = await startedIn(content, { 'dist/index.html': '' })
  expect(docker).toContain('\nCOPY package*.json ./\n')
  expect(docker).not.toContain('RUN reboot')
})

test('a main file whose name would end a line of the Dockerfile is refused, and nothing is written', async () => {
  const name = 'a.js"]\nRUN reboot\n#.js'
  const { code, err, names } = await initIn({ main: name }, { [name]: '' })
  expect(code).toBe(64)
  expect(err).toMatch(/^--entry must be a path within the project, .*; got "a\.js"\]\\u000aRUN reboot/)
  expect(names).not.toContain('Dockerfile')
})
