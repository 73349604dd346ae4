import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { initIn, PAGE } from './support.js'

/** The same, with the Dockerfile and the program that it starts. */
async function dockerIn(content: object, files: Readonly<Record<string, string>>) {
  const { out, text } = await initIn(content, files)
  const docker = await text('Dockerfile')
  expect(validate(docker)).toEqual([])
  return { out, docker, program: /"--", "\/usr\/local\/bin\/\w+", "\/server\/(.*?)"\]/.exec(docker)?.[1] }
}

describe('a project with a page is a program', () => {
  test.each([
    ['npm start runs it by tsx', { scripts: { start: 'tsx watch src/index.ts' } }, 'src/index.ts'],
    [
      'npm start runs it by cross-env',
      { scripts: { start: 'cross-env A=b node -r a/b src/index.ts' } },
      'src/index.ts',
    ],
    ['npm start runs it by nodemon', { scripts: { start: 'npm run lint && nodemon src/index.ts' } }, 'src/index.ts'],
    ['npm start runs what the build makes', { scripts: { build: 'tsc', start: 'node lib/run.js' } }, 'lib/run.js'],
    ['it is the main file', { main: './src/index.ts' }, 'src/index.ts'],
    ['there is one and a server package', { dependencies: { '@colyseus/core': '1' } }, 'server.js'],
    ['there is a server package', { scripts: { start: 'gulp run' }, dependencies: { 'socket.io': '4' } }, 'server.js'],
  ])('where %s, and init says why', async (_, content, expected) => {
    const files = { 'dist/index.html': '', 'src/index.ts': '', 'server.js': '' }
    const { program, out } = await dockerIn(content, files)
    expect(program).toBe(expected)
    expect(out).toMatch(/Taken for a program, since .*; for a page give --kind page\./)
  })

  test('unless the page itself loads the main file', async () => {
    const files = { 'index.html': '<script src="./game.js"></script>', 'game.js': '' }
    expect((await dockerIn({ main: 'game.js' }, files)).program).toBeUndefined()
  })
})

describe('init reports', () => {
  test('a build folder that is not there yet', async () => {
    const { out } = await dockerIn({ scripts: { build: 'build' }, devDependencies: { vite: '8' } }, {})
    expect(out).toContain('There is no dist/index.html yet: npm run build has to make it in the image')
  })

  test('a package that the program imports and the image leaves out', async () => {
    const { out } = await dockerIn(
      { devDependencies: { ws: '8', '@team/lib': '1', mocha: '10' } },
      { 'server.mjs': "// It doesn't matter\nimport { WebSocketServer } from 'ws'\nawait import('@team/lib/part')" },
    )
    expect(out).toContain(
      'server.mjs imports ws, which is a devDependency, so the image goes without it: run "npm install ws".',
    )
    expect(out).toContain('imports @team/lib,')
    expect(out).not.toContain('mocha')
  })

  test('a devDependency that the program imports indirectly', async () => {
    const { out } = await dockerIn(
      { main: 'src/server.ts', devDependencies: { ws: '8', '@team/lib': '1', fits: '1' } },
      {
        'src/server.ts': "import { play } from './rooms/room.js'",
        'src/rooms/room.ts': "import type { Fit } from 'fits'\nimport '..'\nexport { play } from '../lib/play'",
        'src/lib/play/index.ts': "import '../../server.js'\nconst ws = require('ws/lib/part')",
      },
    )
    expect(out).toContain('src/lib/play/index.ts imports ws, which is a devDependency')
    expect(out).not.toMatch(/@team|fits|not there/)
  })

  test('a file that the program imports and that is not there, unless a build may make it', async () => {
    const files = { 'server.mjs': "import './rooms.mjs'" }
    const sentence = 'server.mjs imports ./rooms.mjs, which is not there.'
    const server = { dependencies: { ws: '8' } }
    expect((await dockerIn(server, files)).out).toContain(sentence)
    expect((await dockerIn({ ...server, scripts: { build: 'tsc' } }, files)).out).not.toContain(sentence)
  })

  test('a missing file from which package.json installs this package', async () => {
    const content = { dependencies: { 'gameserver-sidecar': 'file:packages/sidecar.tgz' } }
    const sentence = 'There is no packages/sidecar.tgz, from which package.json installs gameserver-sidecar'
    expect((await dockerIn(content, PAGE)).out).toContain(sentence)
    expect((await dockerIn(content, { ...PAGE, 'packages/sidecar.tgz': '' })).out).not.toContain(sentence)
  })

  test('tsx among the devDependencies, which a TypeScript program is started with', async () => {
    const { out, docker } = await dockerIn(
      { scripts: { start: 'tsx server.ts' }, devDependencies: { tsx: '4' } },
      { 'server.ts': '' },
    )
    expect(out).toContain('server.ts needs tsx, which is a devDependency')
    expect(docker).toContain('NODE_OPTIONS="--import tsx"')
  })

  test('a .dockerignore that lacks node_modules, or lists what the image needs', async () => {
    const page = { 'dist/index.html': '', '.dockerignore': 'dist\n' }
    const { out } = await dockerIn({}, page)
    expect(out).toContain("The existing .dockerignore doesn't list node_modules")
    expect(out).toContain('The existing .dockerignore lists dist, which the Dockerfile copies')
    const fine = await dockerIn({}, { ...page, '.dockerignore': 'node_modules\n' })
    expect(fine.out).not.toContain('existing .dockerignore')
  })
})

test('the image has the small libraries of glibc, which native modules of npm load', async () => {
  const { docker } = await dockerIn({}, { 'server.mjs': '' })
  for (const library of ['librt.so.1', 'libresolv.so.2']) expect(docker).toContain(library)
})

test('the manifests say where a program may write', async () => {
  const { text } = await initIn({}, { 'server.mjs': '' })
  expect(await text('fleet.yaml')).toMatch(/# .*EROFS/)
})

test.each([
  ['spaces', 'file:my packages/sidecar.tgz', 'my packages/sidecar.tgz'],
  ['a line end', 'file:a.tgz ./\nRUN reboot\n#', 'a.tgz ./\nRUN reboot\n#'],
])('a file of package.json with %s in its path is one argument of the Dockerfile', async (_, version, path) => {
  const { docker } = await dockerIn({ dependencies: { 'gameserver-sidecar': version } }, { 'dist/index.html': '' })
  expect(docker).toContain(`\nCOPY ["package*.json", ${JSON.stringify(path)}, "./"]\n`)
  expect(docker).not.toMatch(/^RUN reboot/m)
})

test('another package of a folder in the project is there before packages are installed', async () => {
  const { docker } = await dockerIn({ dependencies: { shared: 'file:./shared' } }, { 'server.mjs': '' })
  expect(docker).toMatch(/WORKDIR \/server\n# Everything is copied first/)
})

test('a main file whose name would end a line of the Dockerfile is refused, and nothing is written', async () => {
  const name = 'a.js"]\nRUN reboot\n#.js'
  const { code, err, names } = await initIn({ main: name }, { [name]: '' })
  expect(code).toBe(64)
  expect(err).toMatch(/^--entry must be a path within the project, .*; got "a\.js"\]\\u000aRUN reboot/)
  expect(names).not.toContain('Dockerfile')
})
