import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeFiles } from '../../src/deploy/init/write-files.js'
import { init, initIn, PAGE, project } from './support.js'

const FILES = [
  '.dockerignore',
  'Dockerfile',
  'allocation.yaml',
  'fleet.yaml',
  'fleetautoscaler.yaml',
  'gameserver.yaml',
]
const INSTALLED = { dependencies: { 'gameserver-sidecar': '^1.0.0' } }

describe('init', () => {
  test('writes six files and says which, and the commands that come next', async () => {
    const content = { name: 'my-game', version: '1.2.3', scripts: { build: 'vite build' } }
    const { code, out, err, names } = await initIn(content)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(names).toEqual([...FILES, 'dist', 'package.json'].sort())
    for (const file of FILES) expect(out).toContain(file)
    expect(out.split('\n').slice(-9)).toEqual([
      'Next:',
      '  npm install gameserver-sidecar',
      '  docker build -t my-game:1.2.3 .',
      '  kind load docker-image my-game:1.2.3',
      '  kubectl apply -f fleet.yaml -f fleetautoscaler.yaml',
      '  kubectl create -f allocation.yaml -o yaml',
      'Without a cluster, the same Fleet on this machine:',
      '  npm run build',
      '  npx gameserver-sidecar fleet -f fleet.yaml dist',
    ])
  })

  test("doesn't ask for a package that the project has, and pushes an image of a registry", async () => {
    const { out } = await initIn(INSTALLED, PAGE, '--image', 'registry.example/team/my-game:7')
    expect(out.split('\n').slice(-6, -3)).toEqual([
      '  docker build -t registry.example/team/my-game:7 .',
      '  docker push registry.example/team/my-game:7',
      '  kubectl apply -f fleet.yaml -f fleetautoscaler.yaml',
    ])
  })

  test('says that a page without a build script has no build yet', async () => {
    const sentence = 'There is no dist/index.html yet: build your game into dist before the image'
    expect((await initIn({}, {}, '--kind', 'page')).out).toContain(sentence)
    expect((await initIn()).out).not.toContain(sentence)
  })

  test('with --webrtc, asks for its package and installs it in the image', async () => {
    const { out, text } = await initIn(INSTALLED, PAGE, '--webrtc')
    expect(out).toContain('\n  npm install node-datachannel@0.33\n')
    expect(await text('Dockerfile')).toContain("['gameserver-sidecar', 'node-datachannel']")
    expect(await text('fleet.yaml')).toContain('protocol: TCPUDP')
  })

  test.each([
    ['page', { 'dist/index.html': '' }, / - --metrics-port=9090\n/],
    ['program', { 'server.mjs': '' }, /# Your program serves it/],
  ])(
    'with --metrics, a %s gets the annotations of its pod and the port in each manifest',
    async (_, files, serving) => {
      const { text } = await initIn(INSTALLED, files, '--metrics')
      for (const name of ['gameserver.yaml', 'fleet.yaml']) {
        expect(await text(name)).toMatch(/prometheus\.io\/scrape: 'true'\n[^]*- name: metrics\n +containerPort: 9090\n/)
        expect(await text(name)).toMatch(serving)
      }
    },
  )

  test('with --path and --webgl, gives the page, the flag and the share of a core to each manifest and the image', async () => {
    const { out, text } = await initIn(INSTALLED, PAGE, '--path', 'server.html?map=1&seed=2', '--webgl')
    for (const name of ['gameserver.yaml', 'fleet.yaml'])
      expect(await text(name)).toMatch(/ - --path=\/server\.html\?map=1&seed=2\n +- --webgl\n[^]*\n +cpu: 750m\n/)
    expect(await text('Dockerfile')).toContain(
      'CMD ["--players-port", "7777", "--path=/server.html?map=1&seed=2", "--webgl"]',
    )
    expect(out).toContain('There is no dist/server.html yet')
  })

  test('leaves existing files as they are, writes the others, and says so', async () => {
    const { folder, code, out, names, text } = await initIn(undefined, { ...PAGE, 'fleet.yaml': 'mine' })
    expect(code).toBe(0)
    expect(out).toContain('Left as it was: fleet.yaml\n')
    expect(await text('fleet.yaml')).toBe('mine')
    expect(names).toEqual([...FILES, 'dist'].sort())
    expect((await init(folder)).out).toContain('There is nothing to do')
  })

  test('never writes through a link', async () => {
    const folder = await project()
    const outside = await project({})
    await symlink(join(outside, 'made'), join(folder, 'Dockerfile'))
    await symlink(outside, join(folder, 'fleet.yaml'))
    const { code, out } = await init(folder)
    expect(code).toBe(0)
    expect(out).toContain('Left as it was: Dockerfile, fleet.yaml')
    expect(await readdir(outside)).toEqual([])
  })

  test.each([
    ['--name', 'My_Game', '--name must be at most 63 lower-case letters, digits and "-"'],
    ['--kind', 'deno', '--kind must be "page" or "node"; got "deno"'],
    ['--players-port', '80', '--players-port must be a whole number from 1024 to 65535; got "80"'],
    ['--dir', 'a/../../b', '--dir must be a path within the project'],
    ['--dir', '$(reboot)', '--dir must be'],
    ['--entry', 'a"]\nRUN reboot', '--entry must be'],
    ['--path', 'a b.html', "--path must be the page's path within the build"],
    ['--image', 'My Game', "--image must be an image's name"],
    ['--image', 'a\nRUN reboot', '--image must be'],
    ['--counter', 'rooms', '--counter must be a name'],
    ['--counter', 'rooms=0', '--counter must be rooms with a capacity from 1 to 2147483647; got "rooms=0"'],
    ['--counter', 'rooms=1 rooms=2', '--counter must be given once for each name; got "rooms" twice'],
    ['--edge', 'https://play.example.com', '--edge must be the name in the certificate, such as play.example.com'],
    ['--edge', 'a.example"; return 200', '--edge must be the name'],
    ['--nodes', '10.0.0.0/8', '--nodes is for the edge; leave it out, or give --edge play.example.com'],
    ['--list', 'players=1001', '--list must be players with a capacity from 1 to 1000; got "players=1001"'],
  ])('refuses %s %j with exit code 64 and one sentence, and writes nothing', async (flag, value, sentence) => {
    const { code, out, err, names } = await initIn(undefined, {}, `${flag}=${value}`)
    expect({ code, out, names }).toEqual({ code: 64, out: '', names: [] })
    expect(err).toContain(sentence)
    expect(err.split('\n')).toHaveLength(1)
  })

  test('refuses a package.json that is broken, as npm would in the image', async () => {
    const { code, out, err, names } = await initIn(undefined, { 'package.json': '{ broken' })
    expect({ code, out, names }).toEqual({ code: 64, out: '', names: ['package.json'] })
    expect(err).toMatch(/^package\.json can't be read: .+\.$/)
  })

  test('ends with 73 for --into a missing folder or a file', async () => {
    const folder = await project({ file: '' })
    const missing = await init(join(folder, 'missing'))
    expect(missing).toMatchObject({ code: 73, out: '' })
    expect(missing.err).toMatch(/missing can't be written to: there is no such folder\.$/)
    const err = `${join(folder, 'file')} can't be written to: it is no folder.`
    expect(await init(join(folder, 'file'))).toMatchObject({ code: 73, err })
  })

  test("removes the files that it wrote when a later file can't be written", async () => {
    const folder = await project({ kept: 'mine' })
    const files = new Map(['first', 'kept', 'no/such/folder'].map((name) => [name, 'ours']))
    await expect(writeFiles(folder, files)).rejects.toThrow(/nothing was changed$/)
    expect(await readdir(folder)).toEqual(['kept'])
  })
})

describe('without flags, init takes', () => {
  test.each([
    ['my-game', 'my-game'],
    ['@team/My Game!', 'my-game'],
    ['--_x_--', 'x'],
    ['Pokémon Défense', 'pokemon-defense'],
    ['x'.repeat(80), 'x'.repeat(63)],
  ])('the name %j of package.json becomes %j', async (name, expected) => {
    const { text } = await initIn({ name })
    expect(await text('fleet.yaml')).toContain(`\n  name: ${expected}\n`)
  })

  test('the name of the folder, where package.json has no usable name', async () => {
    const folder = join(
      await project({ 'Space Game/package.json': '{"name":"日本"}', 'Space Game/index.html': '' }),
      'Space Game',
    )
    expect((await init(folder)).out).toContain('docker build -t space-game:1 .')
  })

  test('.dockerignore lists the build folder only if .gitignore does, since other builds write beside sources', async () => {
    const ignoring = { ...PAGE, '.gitignore': 'node_modules\r\n/dist/\r\n' }
    const built = { scripts: { build: 'rollup --config' } }
    expect(await (await initIn(built, ignoring)).text('.dockerignore')).toContain('\ndist\n')
    expect(await (await initIn(built)).text('.dockerignore')).not.toContain('dist')
  })

  const page = (copied: string): string => `\nCOPY --chmod=755 ${copied} /game/\n`
  const program = (path: string): string => `"/usr/local/bin/node", "/server/${path}"]`
  const viteBuild = { scripts: { build: 'vite build' }, devDependencies: { vite: '^8.0.0' } }
  const bundle = { scripts: { build: 'bundle' }, devDependencies: { vite: '8' } }
  const started = { scripts: { start: 'node --enable-source-maps ./lib/run.js' }, main: 'index.js' }

  const dist = page('--from=game /project/dist/')
  const copying = (files: string, run: string): string => `COPY package.json ${files} ./\nRUN ${run}\n`
  const pnpm = ['pnpm-lock.yaml', '.npmrc', 'pnpm-workspace.yaml']
  const byPnpm = copying(pnpm.join(' '), 'corepack enable && pnpm install --frozen-lockfile')
  const byYarn = copying('yarn.lock', 'corepack enable && YARN_NODE_LINKER=node-modules yarn install')

  test.each<[what: string, files: string[], content: object, args: string[], expected: string]>([
    ['a page, where a build is', ['public/index.html', 'server.mjs'], {}, [], page('public/')],
    ['a page, where Vite is', ['index.html'], viteBuild, [], dist],
    ['dist, where a build has sources in public', ['public/index.html'], bundle, [], dist],
    ['the whole folder, where a page lies open and nothing builds it', ['index.html'], {}, [], page('./')],
    ['the program of npm start, without a page', ['lib/run.js', 'index.js'], started, [], program('lib/run.js')],
    ['server.mjs, where there is no page', ['server.mjs'], {}, [], program('server.mjs')],
    ['the folder that --dir names, beside a program', ['server.mjs'], {}, ['--dir', './out/'], page('out/')],
    [
      'the program that --entry names, beside a page',
      ['index.html', 'main.js'],
      {},
      ['--entry', 'main.js'],
      program('main.js'),
    ],
    ['npm, by its lock file', ['package-lock.json'], bundle, [], copying('package-lock.json', 'npm ci')],
    ['npm, by its shrinkwrap', ['npm-shrinkwrap.json'], bundle, [], copying('npm-shrinkwrap.json', 'npm ci')],
    ['pnpm, by its lock file and settings', pnpm, bundle, [], byPnpm],
    ['yarn, by its lock file', ['yarn.lock'], bundle, [], byYarn],
  ])('%s', async (_what, files, content, args, expected) => {
    const { text } = await initIn(content, Object.fromEntries(files.map((name) => [name, ''])), ...args)
    expect(await text('Dockerfile')).toContain(expected)
  })

  test.each<[what: string, content: Record<string, object>, files: Record<string, string>]>([
    ['a script that runs when packages are installed', { scripts: { postinstall: 'node make.mjs' } }, {}],
    ['packages of its own', { workspaces: ['packages/*'] }, {}],
    ['packages of its own, by pnpm', {}, { 'pnpm-workspace.yaml': 'packages:\n  - a\n' }],
    ['a package of a folder', { dependencies: { shared: 'file:./shared' } }, {}],
    ['patches of packages', {}, { 'patches/a.patch': '' }],
  ])('the Dockerfile copies all files before it installs packages, for %s', async (_, content, files) => {
    const scripts = { build: 'node build.mjs', ...content['scripts'] }
    const { text } = await initIn({ ...content, scripts }, { ...PAGE, ...files })
    expect(await text('Dockerfile')).toMatch(
      /^WORKDIR \/project\n# Everything .*\nCOPY \. \.\nRUN .*npm (ci|install)\b.*\nRUN /m,
    )
  })
})
