/** What a page downloads: the client with everything in it, beside libraries that do a part of its work. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { root } from './support/processes.mjs'
import { round } from './support/statistics.mjs'

const others = [
  { name: 'ky', code: "export { default } from 'ky'", platform: 'browser' },
  { name: 'reconnecting-websocket', code: "export { default } from 'reconnecting-websocket'", platform: 'browser' },
  // It uses gRPC and so runs in Node only. Node's built-in modules don't count.
  { name: '@google-cloud/agones-sdk', code: "export { default } from '@google-cloud/agones-sdk'", platform: 'node' },
]

export const title = 'Bytes to download'

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-bytes-'))
  try {
    install(folder, ['esbuild', ...others.map(({ name }) => name)])
    const { build } = createRequire(join(folder, 'package.json'))('esbuild')
    const measured = [
      { name: 'gameserver-sidecar', ...sizes(readFileSync(join(root, 'dist', 'gameserver-sidecar.umd.js'))) },
      ...(await Promise.all(
        others.map(async (other) => ({
          name: `${other.name} ${versionIn(folder, other.name)}`,
          ...sizes(await bundled(build, folder, other)),
        })),
      )),
    ]
    return measured.map((row) => ({ ...row, 'gzip, ratio to ours': round(row.gzip / measured[0].gzip) }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function install(folder, names) {
  execFileSync('npm', ['init', '-y'], { cwd: folder, stdio: 'ignore' })
  execFileSync('npm', ['install', ...names, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

const versionIn = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

async function bundled(build, folder, { code, platform }) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    platform,
    format: platform === 'node' ? 'cjs' : 'iife',
    globalName: platform === 'node' ? undefined : 'library',
    target: 'es2020',
    legalComments: 'none',
    logLevel: 'error',
  })
  return outputFiles[0].contents
}

const sizes = (bytes) => ({
  min: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes).length,
})
