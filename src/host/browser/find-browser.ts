import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { HostError } from '../host-error.js'

/** The machine, as far as finding a browser needs it. */
export const thisSystem = {
  platform: process.platform,
  env: process.env,
  isProgram(path: string): boolean {
    try {
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  },
  /** Names in a folder; empty if the folder is missing. */
  list(folder: string): readonly string[] {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  },
}

export type System = Readonly<typeof thisSystem>

/** Names on the PATH, the best one first. headless-shell, without a window, takes half the memory and starts twice as fast. */
const NAMES = [
  ...['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'],
  ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable'],
]
/** Debian's command of that name is a script. The host would watch the script's process, and the browser would live on. */
const DEBIAN_SHELL = '/usr/lib/chromium/chromium-headless-shell'
const MAC = ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)
const WINDOWS = [String.raw`Google\Chrome\Application\chrome.exe`, String.raw`Microsoft\Edge\Application\msedge.exe`]

/** Playwright installs on every system. Debian's package is the smallest. */
const INSTALL =
  'install one: npx playwright install --with-deps --only-shell chromium, or on Debian apt-get install chromium-headless-shell'

/**
 * The path of the browser to run the page in: the one named by option or by CHROMIUM, or else the lightest installed one.
 *
 * @throws HostError NO_BROWSER
 */
export function findBrowser(asked: string | undefined, system: System = thisSystem): string {
  const { env, isProgram } = system
  const named = asked ?? env['CHROMIUM']
  if (asked === undefined && !named) {
    for (const path of candidates(system)) if (isProgram(path)) return path
    throw new HostError(
      'NO_BROWSER',
      'No browser was found to run the page in.',
      `Name one with --browser, or ${INSTALL}.`,
    )
  }
  if (isProgram(named!)) return named!
  const source = asked === undefined ? 'CHROMIUM' : '--browser'
  throw new HostError(
    'NO_BROWSER',
    `${source} must be the path of a program that this user may run; got ${JSON.stringify(named)}.`,
    `Leave it out to use the browser that is installed, or ${INSTALL}.`,
  )
}

function* candidates(system: System): Generator<string> {
  const { platform, env } = system
  yield DEBIAN_SHELL
  yield* playwrightShells(system)
  if (platform === 'darwin') yield* MAC
  if (platform === 'win32') {
    const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => env[name] || [])
    yield* folders.flatMap((folder) => WINDOWS.map((program) => `${folder}\\${program}`))
  }
  const folders = (env['PATH'] ?? '').split(platform === 'win32' ? ';' : ':').filter((folder) => folder !== '')
  yield* NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`))
}

/** Where Playwright puts the headless-shell that it downloads, the newest first. */
function* playwrightShells({ platform, env, list }: System): Generator<string> {
  const home = env['HOME'] ?? ''
  const caches: Partial<Record<NodeJS.Platform, string>> = {
    darwin: `${home}/Library/Caches`,
    win32: env['LOCALAPPDATA'] ?? '',
  }
  const root = env['PLAYWRIGHT_BROWSERS_PATH'] || `${caches[platform] ?? `${home}/.cache`}/ms-playwright`
  const versions = list(root).filter((name) => /^chromium_headless_shell-\d/.test(name))
  for (const version of versions.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))) {
    for (const folder of list(`${root}/${version}`)) {
      const programs = list(`${root}/${version}/${folder}`)
      yield* programs
        .filter((name) => /^(chrome-headless-shell|headless_shell)(\.exe)?$/.test(name))
        .map((name) => `${root}/${version}/${folder}/${name}`)
    }
  }
}
