import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import * as starters from './server-kinds.js'
import type { Starter } from './server-kinds.js'
import { init, initIn } from './support.js'

/** The program that the image starts, with what runs it. */
const STARTED = /\nENTRYPOINT \["\/usr\/bin\/tini", "--", "\/usr\/local\/bin\/(\w+)", "\/server\/(.*)"\]\n$/

async function startedIn({ content, files }: Starter) {
  const { code, out, text } = await initIn(content, files)
  expect({ code, out }).toMatchObject({ code: 0 })
  const docker = await text('Dockerfile')
  expect(validate(docker)).toEqual([])
  const [, runtime, program] = STARTED.exec(docker) ?? []
  return { out, docker, runtime, program }
}

describe("of a starter's project, init makes an image that starts", () => {
  test.each<[kind: string, starter: Starter, program: string, why: string, built?: string]>([
    ['NestJS', starters.nest, 'node dist/main.js', 'npm run start:prod runs dist/main.js', 'npm run build'],
    ['Colyseus', starters.colyseus, 'node build/index.js', 'it depends on @colyseus/core', 'npm run build'],
    ['Fastify', starters.fastify, 'node server.js', 'it depends on fastify'],
    ['TypeScript', starters.tsc, 'node dist/main.js', 'npm start runs dist/main.js', 'npm run build'],
    ['CommonJS', starters.commonJs, 'node index.js', 'npm start runs index.js'],
    ['Bun', starters.bun, 'bun index.ts', 'npm start runs index.ts'],
    [
      'a workspace',
      starters.workspace,
      'node packages/server/dist/index.js',
      'in packages/server, npm start runs dist/index.js',
      'npm run build',
    ],
  ])('the program of %s', async (_, starter, expected, why, built) => {
    const { runtime, program, out, docker } = await startedIn(starter)
    expect(`${runtime} ${program}`).toBe(expected)
    expect(out).toContain(`\nTaken for a program, since ${why}; for a page give --kind page.\n`)
    expect(/^RUN (.*run build)/m.exec(docker)?.[1]).toBe(built)
    expect(out).not.toContain('@types')
  })

  test.each<[what: string, starter: Starter, program: string]>([
    [
      'what the build makes, and not the sources that a development runner starts',
      {
        content: { main: 'lib/index.js', scripts: { build: 'tsc', start: 'ts-node-dev src/index.ts' } },
        files: { 'src/index.ts': '' },
      },
      'lib/index.js',
    ],
    [
      'the index of a folder that the build makes',
      { content: { scripts: { build: 'tsc', start: 'npm run build && node build' } }, files: {} },
      'build/index.js',
    ],
    [
      'the sources that a development runner starts, where no build makes anything',
      {
        content: { scripts: { start: 'nodemon --watch src --ext ts src/index.ts' } },
        files: { 'src/index.ts': '', 'src/a.js': '' },
      },
      'src/index.ts',
    ],
    [
      'what exec runs beside a local sidecar',
      {
        content: { scripts: { start: 'gameserver-sidecar exec -f fleet.yaml --restart -- node game/play.mjs' } },
        files: { 'game/play.mjs': '' },
      },
      'game/play.mjs',
    ],
    [
      'what the script serve starts',
      { content: { scripts: { serve: 'node play.js' } }, files: { 'play.js': '' } },
      'play.js',
    ],
    [
      'the one server of a workspace of pnpm that has no start script',
      {
        content: { private: true },
        files: {
          'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n",
          'apps/game/package.json': JSON.stringify({ main: 'a.js', dependencies: { 'socket.io': '4' } }),
          'apps/game/a.js': '',
        },
      },
      'apps/game/a.js',
    ],
  ])('%s', async (_, starter, expected) => {
    expect((await startedIn(starter)).program).toBe(expected)
  })
})

test('of a workspace with pages alone, init makes an image of the page, and says why', async () => {
  const { 'packages/server/package.json': _, ...files } = starters.workspace.files
  const { code, out, text } = await initIn(starters.workspace.content, files)
  expect(code).toBe(0)
  expect(out).toContain('\nTaken for a page, since client has index.html; for a program give --entry.\n')
  expect(await text('Dockerfile')).toContain('COPY --chmod=755 --from=game /project/client/dist/ /game/')
})

describe('init writes nothing, and ends with the two commands to choose from', () => {
  const server = (name: string): string => JSON.stringify({ name, scripts: { start: 'node a.js' } })

  test.each<[what: string, starter: Starter, message: string, entry: string]>([
    ['for Deno', starters.deno, 'main.ts is for Deno, for which init writes no image', 'main.ts # if Node runs it'],
    [
      "where a framework's command starts the server",
      starters.fastifyCli,
      'npm start runs "fastify start -l info app.js", which names no program for Node',
      'server.mjs',
    ],
    [
      'where the program of a server is missing',
      { content: { scripts: { start: 'node a.js' }, dependencies: { ws: '8' } }, files: {} },
      'the project is a server, since it depends on ws, but no script starts a program that is there',
      'server.mjs',
    ],
    [
      'where nothing is a page or a program',
      { content: { name: 'tools', scripts: { test: 'jest' } }, files: { 'notes.txt': '' } },
      'nothing in the project is a page (index.html, a bundler of pages) or a program',
      'server.mjs',
    ],
    [
      'where a workspace has two servers',
      {
        content: { workspaces: ['a', 'b'] },
        files: { 'a/package.json': server('a'), 'b/package.json': server('b'), 'a/a.js': '', 'b/a.js': '' },
      },
      'the project has the servers a/a.js and b/a.js',
      'server.mjs',
    ],
  ])('%s', async (_, { content, files }, message, entry) => {
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
    const { folder, text } = await initIn(starters.fastifyCli.content, starters.fastifyCli.files, '--entry', 'app.js')
    expect(STARTED.exec(await text('Dockerfile'))?.[2]).toBe('app.js')
    const { code, out } = await init(folder, '--entry', 'other.js')
    expect({ code, out }).toMatchObject({ code: 0 })
    expect(out).toMatch(/Dockerfile:\d+ .*ENTRYPOINT .*other\.js/)
  })

  test("a program that isn't there, and that no build can make, is refused", async () => {
    const { code, err } = await initIn({}, {}, '--entry', 'main.js')
    expect(code).toBe(64)
    expect(err).toBe('--entry must be a file of the project, since there is no build script to make it; got "main.js".')
  })
})
