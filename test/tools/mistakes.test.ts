import { execFileSync } from 'node:child_process'
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, parse } from 'node:path'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sharedFolder, temporaryFile, temporaryFolder } from '../support/temporary-folder.js'
import { expectRefusal, forgetSidecar, run } from './support.js'
import { listenHere } from '../support/listen.js'

forgetSidecar()

let page: string

beforeAll(async () => {
  const folder = await sharedFolder('page')
  page = folder.path
  await writeFile(join(page, 'index.html'), '<!doctype html>')
  return folder.remove
})

/** A row that starts by mistake must not take a port that is in use. */
const withPort = (args: readonly string[]): readonly string[] => {
  if (args[0] === 'local' && !args.some((word) => word.startsWith('--port'))) return [...args, '--port=0']
  return args[0] === 'serve' && args.includes('PAGE') ? [...args, '--port=0'] : args
}

const FLEET = 'kind: Fleet\nmetadata: { name: f }\nspec: { template: { spec: {} } }\n---\n'
const autoscalerOf = (fleet: string): string =>
  `kind: FleetAutoscaler\nspec: { fleetName: ${fleet}, policy: { type: Buffer, buffer: { bufferSize: 1, maxReplicas: 2 } } }\n`
const IS_TAKEN = 69
const NO_FILE = 66

describe('a mistake in the command line is one sentence with the value, what was expected, and the nearest name', () => {
  const rows: readonly (readonly [args: string | readonly string[], sentence: RegExp])[] = [
    ['local --nonsense', /^Unknown option '--nonsense'; gameserver-sidecar local --help lists all\.$/],
    ['local --feature-gates CountAndLists=true', /is invalid: it must look like CountsAndLists=false/],
    ['local --prot 1', /^Unknown option '--prot'; did you mean --port\?$/],
    ['local --no-port', /^Unknown option '--no-port'; gameserver-sidecar local --help lists all\.$/],
    ['local --no-dashbord', /^Unknown option '--no-dashbord'; did you mean --no-dashboard\?$/],
    ['exec node --inspect', /^Unknown option '--inspect'.* after --\.$/],
    ['--prot 1', /^Unknown option '--prot'; did you mean demo --port\?$/],
    ['help gateway', /^There is no command "gateway"; there are demo, local, .*\.$/],
    ['watch --until Redy', /^There is no state "Redy"; did you mean "Ready"\?$/],
    [
      'local extra',
      /^Too many arguments for 'local': none expected, got "extra"; usage: gameserver-sidecar local \[options\]$/,
    ],
    ['serve --local', /^Missing required argument 'dir'; usage: gameserver-sidecar serve \[options\] <dir>$/],
    ['exec', /-- <command>/],
    ['local --port', /^Option '--port <port>' argument missing: port for HTTP and WebSocket; 0 for any\.$/],
    ['local --verbose=1', /^Option '--verbose' takes no value; got "1"\.$/],
    ['local -p x', /^Option '--port <port>' argument 'x' is invalid: it must be a whole number/],
    ['local --port 70000', /^Option '--port <port>' argument '70000' is invalid: .* from 0 to 65535/],
    ['local --mode prodction', /allowed choices are local, production; did you mean "production"\?$/],
    [['local', '--mode', '\u001b[31m\u009b\u202e'], /argument '\\u001b\[31m\\u009b\\u202e' is invalid/],
    ['local --timeout 1h', /argument '1h' is invalid: it must be a number of seconds/],
    [['local', '--conformance', ' , '], /argument ' , ' is invalid: it must name at least one, with commas between/],
    [['local', '--platform', 'A B'], /platform must be/],
    ['local --allow-host http://x', /^An allowed host must be a bare name or address, not "http:\/\/x"\.$/],
    ['local --allow-origin *', /^An allowed origin must look like http:\/\/localhost:5173, not "\*"\.$/],
    ['local --address 192.0.2.1', /^This machine has no address 192\.0\.2\.1; choose another with --address\.$/],

    ['serve PAGE', /^Nothing says where the sidecar is: .* with --local, or set AGONES_SDK_HTTP_PORT\.$/],
    ['serve PAGE --local --sidecar http://127.0.0.1:1', /^--sidecar and --local exclude each other/],
    [
      'serve PAGE --sidecar http://127.0.0.1:1 --no-dashboard',
      /^--no-dashboard is for a local sidecar; add --local to run one\.$/,
    ],
    [
      'serve PAGE --local --host 0.0.0.0 --expose',
      /^To say who may use the sidecar from elsewhere, add --token, .* or --allow-origin/,
    ],

    [['host', '', '--local'], /^Nothing says what to run/],
    ['host dist --trust-proxy 10.0.0.0/33', /must be a network such as 10\.0\.0\.0\/8/],

    ['fleet', /^Nothing says what each GameServer runs: add a program, such as -- node server\.mjs, or the folder/],
    ['fleet --players-port 8000-7000 x', /is invalid: it begins after its end; give 7000-8000\.$/],
    ['fleet --port 0 --max 0 x', /^max must be an integer from 1 to 1000; got 0\.$/],
    ['fleet --port 0 --allow-origin * x', /^An allowed origin must look like/],

    [['exec', '--', ''], /^Missing required argument 'command'; usage: /],
    [['local', '-f', ''], /^Option '--file <path>' argument '' is invalid: it must not be empty\.$/],
    ...['call', 'watch', 'allocate', 'doctor'].map((command): readonly [string[], RegExp] => [
      [command, ...(command === 'call' ? ['ready'] : []), '--url', 'http://ann:secret@127.0.0.1:1'],
      /^--url must look like .*, without user, .*; got "http:\/\/…@127\.0\.0\.1:1"$/,
    ]),
    ['watch --url http:ann:secret@127.0.0.1:1', /^--url must look like .*; got "http:…@127\.0\.0\.1:1"$/],
    ['allocate --label mode', /argument 'mode' is invalid: it must look like key=value\.$/],
    ['allocate -f x --add-to a=b', /^--add-to and --file exclude each other; write it into the file\.$/],
    ['allocate --url ftp://x', /^--url must look like http:\/\/127\.0\.0\.1:9358, .*; got "ftp:\/\/x"/],
  ]

  test.each(rows)('%j', async (args, sentence) => {
    await expectRefusal(
      withPort(typeof args === 'string' ? args.split(' ') : args).map((word) => (word === 'PAGE' ? page : word)),
      sentence,
    )
  })

  test('without a command, the commands are listed', async () => {
    const { code, err } = await run().finished
    expect(err).toMatch(/^Usage: gameserver-sidecar[^]* local /)
    expect(code).toBe(64)
  })
})

test('a Fleet whose program cannot be started ends with 127', async () => {
  await expectRefusal(['fleet', '--port', '0', '--', 'no-such-game'], /^There is no command "no-such-game"; /, 127)
})

describe('a taken port ends with exit code 69', () => {
  test.each([
    ['local', '--port', []],
    ['serve', '--port', ['PAGE', '--local', '--sidecar-port', '0']],
    ['serve', '--sidecar-port', ['PAGE', '--local', '--port', '0']],
  ])('%s %s', async (command, flag, others) => {
    const port = await listenHere(createServer((socket) => socket.end()))
    const args = [command, ...others.map((word) => (word === 'PAGE' ? page : word)), flag, String(port)]
    await expectRefusal(
      args,
      new RegExp(`^Port ${port} is already in use; choose another with ${flag}, or 0`),
      IS_TAKEN,
    )
  })
})

describe('the file', () => {
  /** How each command is given a file. */
  const commands: readonly (readonly [name: string, args: (file: string) => readonly string[]])[] = [
    ['local', (file) => ['local', '--port=0', '--file', file]],
    ['serve', (file) => ['serve', page, '--port=0', '--local', '--file', file]],
    ['serve --cert', (file) => ['serve', page, '--port=0', '--local', '--cert', file, '--key', file]],
    ['exec', (file) => ['exec', '--file', file, '--', 'true']],
    ['fleet', (file) => ['fleet', '--port=0', '--file', file, '--', 'true']],
    ['allocate', (file) => ['allocate', '--file', file]],
  ]

  test.each(commands)('of %s ends the command with 66 if it is missing', async (_name, args) => {
    await expectRefusal(
      args('/nowhere/file.yaml'),
      /\/nowhere\/file\.yaml( of --cert| can't be read)?: there is no such file/,
      NO_FILE,
    )
  })

  test.each(commands)('of %s is refused before it is opened if it is a pipe', async (_name, args) => {
    const pipe = join(await temporaryFolder('pipe'), 'file.yaml')
    execFileSync('mkfifo', [pipe])
    const { code, err } = await run(...args(pipe)).finished
    expect(err).toMatch(/file\.yaml( of --cert| can't be read)?: it is not a regular file\.?$/)
    expect(err).not.toContain('\n')
    expect(code).toBe(64)
  })

  test.each([
    [
      'an autoscaler of another Fleet',
      FLEET + autoscalerOf('other'),
      /Fleet "other", and the Fleet here is "f"; give spec\.fleetName that name\.$/,
    ],
    ['an autoscaler alone', autoscalerOf('f'), /fleet\.yaml holds no Fleet; give the file with the Fleet, too\.$/],
    ['no document', '', /fleet\.yaml/],
    [
      'a misspelt field',
      'kind: Fleet\nspec:\n  template:\n    spec:\n      prots: []\n',
      /fleet\.yaml:5 holds no usable Fleet: .*"prots"; did you mean "ports"\?$/,
    ],
  ])('of fleet with %s is refused in one sentence', async (_, text, sentence) => {
    const file = await temporaryFile('fleet.yaml', text)
    await expectRefusal(['fleet', '--port=0', '-f', file, '--', 'true'], sentence)
  })

  test('of fleet --kubeconfig is refused if it is another one, or its folder is missing', async () => {
    const file = await temporaryFile('config', 'kind: Config')
    const fleet = (path: string) => ['fleet', '--port=0', '--kubeconfig', path, '--', 'true']
    await expectRefusal(fleet(file), /config exists and is no kubeconfig of a Fleet; give the name of a new file\.$/)
    await expectRefusal(
      fleet(join(file, '..', 'no', 'config')),
      /The kubeconfig can't be written into \S+: its folder is missing\.$/,
    )
  })

  test('of serve --key is refused if it is in the served folder', async () => {
    const folder = await temporaryFolder('keys')
    const keys = ['--cert', join(folder, 'a.pem'), '--key', join(folder, 'a.key')]
    for (const path of [keys[1]!, keys[3]!, join(folder, 'index.html')]) await writeFile(path, 'secret')
    await expectRefusal(
      ['serve', folder, '--local', '--port=0', ...keys],
      /^The private key \S+a\.key is in the folder that is served; keep it elsewhere\.$/,
    )
  })
})

describe('a folder that is named by mistake', () => {
  const served = (dir: string, ...more: readonly string[]) => ['serve', dir, '--local', '--port=0', ...more]
  let home: string

  beforeEach(async () => {
    home = await realpath(await temporaryFolder('gameserver-home'))
    await mkdir(join(home, 'game'))
    for (const name of ['game', '.']) await writeFile(join(home, name, 'index.html'), '<!doctype html>')
    vi.stubEnv('HOME', home)
  })

  test('serve and host refuse the home directory, also by a link, and the folders around it', async () => {
    const link = join(await temporaryFolder('gameserver-link'), 'dist')
    await symlink(home, link)
    const rows = [
      [home, 'is'],
      [link, 'is'],
      [join(home, 'game', '..'), 'is'],
      [join(home, '..'), 'holds'],
      [parse(home).root, 'holds'],
    ] as const
    for (const [dir, relation] of rows) {
      for (const command of [served(dir), ['host', dir, '--local']]) {
        const { err, code } = await run(...command).finished
        expect(err).toMatch(/; name the folder that holds the built page(, or add --yes)?\.$/)
        expect([err.startsWith(`${dir} ${relation} your home directory`), code]).toEqual([true, 64])
      }
    }
  })

  test('serve takes a folder within the home directory, one beside it, and all with --yes', async () => {
    await mkdir(`${home}-2`)
    await writeFile(join(`${home}-2`, 'index.html'), '')
    onTestFinished(() => rm(`${home}-2`, { recursive: true }))
    for (const args of [served(join(home, 'game')), served(`${home}-2`), served(home, '--yes')]) {
      const serve = run(...args)
      await serve.line(/at http:/)
      serve.stop('SIGTERM')
      expect((await serve.finished).code).toBe(0)
    }
  })
})
