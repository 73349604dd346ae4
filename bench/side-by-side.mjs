/**
 * The official SDK and this package, as users install them. Watch, commands and faults need a real sidecar, which
 * SDK_SERVER names; without one these rows are absent. A full run writes docs/side-by-side.md.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { measure as measureBytes } from './bytes.mjs'
import { measure as measureCommands } from './command.mjs'
import { measureFaults } from './support/side-by-side/faults.mjs'
import { root } from './support/processes.mjs'
import { median, round } from './support/statistics.mjs'

export const title = 'Side by side with the official SDK'

const OFFICIAL = '@google-cloud/agones-sdk'

export async function measure({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-side-by-side-'))
  try {
    const tarball = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
    const names = { ours: join(folder, tarball), official: OFFICIAL }
    const columns = {}
    for (const [kind, name] of Object.entries(names)) columns[kind] = installed(join(folder, kind), name, quick)
    const bytes = await measureBytes()
    const officialBytes = bytes.find(({ name }) => name.startsWith(OFFICIAL))
    columns.ours.rows['bundled, gzip'] = kilobytes(bytes[0].gzip)
    columns.official.rows['bundled, gzip'] = `${kilobytes(officialBytes.gzip)}, Node only`
    if (process.env.SDK_SERVER) await withSidecar(columns, { quick })
    const rows = Object.keys(columns.ours.rows).map((what) => ({
      what,
      [`gameserver-sidecar ${columns.ours.version}`]: columns.ours.rows[what],
      [`${OFFICIAL} ${columns.official.version}`]: columns.official.rows[what],
    }))
    if (!quick) writeFileSync(join(root, 'docs', 'side-by-side.md'), page(rows))
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function withSidecar(columns, { quick }) {
  const commands = await measureCommands({ quick, officialFolder: columns.official.folder })
  for (const { command, by, ...figures } of commands) {
    const column = { client: columns.ours, official: columns.official }[by]
    if (!column) continue
    column.rows[`${command}, median`] = `${figures['median ms']} ms`
    column.rows[`${command}, CPU`] = `${figures['CPU µs']} µs`
  }
  for (const [kind, { folder, rows }] of Object.entries(columns))
    Object.assign(rows, await measureFaults(kind, folder, { changes: quick ? 5 : 50 }))
}

/** Installs a package into an empty folder several times; the first time fills npm's cache and isn't counted. */
function installed(folder, name, quick) {
  const times = []
  for (let i = 0; i <= (quick ? 1 : 3); i++) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{}')
    const begin = performance.now()
    execFileSync('npm', ['install', name, '--prefer-offline', '--no-audit', '--no-fund', '--silent'], { cwd: folder })
    if (i > 0) times.push(performance.now() - begin)
  }
  const modules = join(folder, 'node_modules')
  const id = name === OFFICIAL ? OFFICIAL : 'gameserver-sidecar'
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const sizes = readdirSync(modules, { recursive: true }).map((path) => statSync(join(modules, path)))
  const bytes = sizes.filter((stats) => stats.isFile()).reduce((sum, { size }) => sum + size, 0)
  return {
    folder,
    version: packages[`node_modules/${id}`].version,
    rows: {
      'packages installed': Object.keys(packages).length,
      'installed on disk': `${round(bytes / 1e6, 1)} MB`,
      'npm install, warm cache': `${round(median(times) / 1000, 1)} s`,
      'loaded by require()': `${round(median(loadTimes(folder, id)))} ms`,
    },
  }
}

function loadTimes(folder, id) {
  const code = `const begin = performance.now(); require('${id}'); console.log(performance.now() - begin)`
  return Array.from({ length: 9 }, () => Number(execFileSync(process.execPath, ['-e', code], { cwd: folder })))
}

const kilobytes = (bytes) => `${round(bytes / 1000, 1)} kB`

function page(rows) {
  const [what, ours, official] = Object.keys(rows[0])
  const table = rows.map((row) => `| ${row[what]} | ${row[ours]} | ${row[official]} |`).join('\n')
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${round(totalmem() / 2 ** 30)} GB, Node ${process.version}`
  const load = round(loadavg()[2], 1)
  const without = process.env.SDK_SERVER
    ? ''
    : '\nCommands, watch and faults are absent: they need a real sidecar, which `SDK_SERVER` names.\n'
  return `# Side by side with the official SDK

Measured by \`npm run bench -- side-by-side\` on ${new Date().toISOString().slice(0, 10)}, with
${machine}, at a load average of ${load}. Times are of that machine at that moment; compare the columns.

| | ${ours} | ${official} |
|---|---|---|
${table}
${without}
## How it is measured

Both packages talk to the same release of the real sidecar on loopback: this one by HTTP, the official SDK by gRPC. The
game connects, watches, and sends a heartbeat each second, as each SDK's documentation shows, with error callbacks for the
official SDK. *Never* means: not within half a minute.

- **Restart**: the sidecar starts again three seconds after its end. Times count from that start.
- **Hang**: the sidecar is stopped (\`SIGSTOP\`), and its connections stay open.

## Repeat it

\`\`\`sh
go build -o sdk-server ./cmd/sdk-server                      # in a clone of Agones
SDK_SERVER=/path/to/sdk-server npm run bench -- side-by-side # in a clone of this repository
\`\`\`
`
}
