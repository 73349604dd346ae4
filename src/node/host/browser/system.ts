import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'

/** What finding a browser asks of the machine. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  /** Whether there is a file that this user may run. */
  isProgram(path: string): boolean
  /** The start of a script, or nothing for any other file. */
  scriptAt(path: string): string | undefined
  /** Says what is at a path that is no program. */
  describePath(path: string): string
  readText(path: string): string | undefined
  /** Names in a folder, in order; none if it isn't there. */
  list(folder: string): readonly string[]
}

const SCRIPT_BYTES = 16_384

export const thisSystem: System = {
  platform: process.platform,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  isProgram: (path) => problemWith(path) === undefined,
  describePath: (path) => problemWith(path) ?? 'a program',
  scriptAt(path) {
    const start = attempt(() => {
      const file = openSync(path, 'r')
      try {
        const buffer = Buffer.alloc(SCRIPT_BYTES)
        return buffer.toString('utf8', 0, readSync(file, buffer))
      } finally {
        closeSync(file)
      }
    })
    return start?.startsWith('#!') ? start : undefined
  },
  readText: (path) => attempt(() => readFileSync(path, 'utf8')),
  list: (folder) => attempt(() => readdirSync(folder).sort()) ?? [],
}

function problemWith(path: string): string | undefined {
  const found = attempt(() => statSync(path))
  if (found === undefined) return 'not there'
  if (!found.isFile()) return found.isDirectory() ? 'a folder' : 'no file'
  const mayRun = attempt(() => {
    accessSync(path, constants.X_OK)
    return true
  })
  return mayRun ? undefined : 'not executable'
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Names under which the programs are found on the PATH, the best one first. */
export const PROGRAM_NAMES = {
  shells: ['chromium-headless-shell', 'chrome-headless-shell', 'headless_shell'],
  browsers: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable'],
}

interface Places {
  /** Of headless-shell. */
  readonly shells: readonly string[]
  readonly browsers: readonly string[]
}

/** Where distributions and installers put the programs themselves, rather than the scripts that start them. */
export function knownPlaces(system: System): Places {
  const { platform, env } = system
  switch (platform) {
    case 'darwin':
      return {
        shells: downloaded(system, `${env['HOME'] ?? ''}/Library/Caches/ms-playwright`, `${env['HOME'] ?? ''}/.cache`),
        browsers: [
          '/Applications/Chromium.app/Contents/MacOS/Chromium',
          '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
          '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
        ],
      }
    case 'win32':
      return {
        shells: downloaded(
          system,
          `${env['LOCALAPPDATA'] ?? ''}\\ms-playwright`,
          `${env['USERPROFILE'] ?? ''}\\.cache`,
        ),
        browsers: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) =>
          env[name]
            ? [
                `${env[name]}\\Chromium\\Application\\chrome.exe`,
                `${env[name]}\\Google\\Chrome\\Application\\chrome.exe`,
                `${env[name]}\\Microsoft\\Edge\\Application\\msedge.exe`,
              ]
            : [],
        ),
      }
    default:
      return {
        shells: [
          '/usr/lib/chromium/chromium-headless-shell',
          '/usr/lib64/chromium-browser/headless_shell',
          ...downloaded(system, `${env['HOME'] ?? ''}/.cache/ms-playwright`, `${env['HOME'] ?? ''}/.cache`),
        ],
        browsers: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/opt/microsoft/msedge/msedge'],
      }
  }
}

/** Where Playwright and Puppeteer put the headless-shell that they download, the newest first. */
function downloaded(system: System, playwright: string, cache: string): string[] {
  const slash = system.platform === 'win32' ? '\\' : '/'
  const inside = (folder: string, pattern: RegExp): string[] =>
    system
      .list(folder)
      .filter((name) => pattern.test(name))
      .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
      .map((name) => folder + slash + name)
  const programs = (folder: string): string[] =>
    inside(folder, /^chrome-/).flatMap((platform) =>
      inside(platform, /^(chrome-headless-shell|headless_shell)(\.exe)?$/),
    )
  return [
    ...inside(system.env['PLAYWRIGHT_BROWSERS_PATH'] || playwright, /^chromium_headless_shell-\d/).flatMap(programs),
    ...inside(
      [system.env['PUPPETEER_CACHE_DIR'] || `${cache}${slash}puppeteer`, 'chrome-headless-shell'].join(slash),
      /\d/,
    ).flatMap(programs),
  ]
}

/** The command that installs a browser, by the ID of /etc/os-release. */
const BY_DISTRIBUTION: Readonly<Record<string, string>> = {
  debian: 'apt-get update && apt-get install --yes --no-install-recommends chromium-headless-shell fonts-dejavu-core',
  // Its own package leads to a snap, which needs a daemon that containers don't have.
  ubuntu: 'npx --yes playwright install --with-deps --only-shell chromium',
  alpine: 'apk add chromium-headless-shell font-dejavu',
  fedora: 'dnf install -y chromium-headless dejavu-sans-fonts',
  arch: 'pacman -S --noconfirm chromium',
}

/** The one command with which this system gets a browser. */
export function installHint(system: System): string {
  switch (system.platform) {
    case 'darwin':
      return 'brew install --cask google-chrome'
    case 'win32':
      return 'winget install --id Google.Chrome'
    default: {
      const command = distributions(system).flatMap((id) => BY_DISTRIBUTION[id] ?? [])[0] ?? BY_DISTRIBUTION['ubuntu']!
      const needsRoot = !command.startsWith('npx')
      return needsRoot && !system.isRoot ? sudo(command) : command
    }
  }
}

const sudo = (command: string): string =>
  command
    .split(' && ')
    .map((part) => `sudo ${part}`)
    .join(' && ')

/** The system's ID, then those of the systems that it is like. */
function distributions(system: System): string[] {
  const text = system.readText('/etc/os-release') ?? system.readText('/usr/lib/os-release') ?? ''
  const valueOf = (key: string): string =>
    new RegExp(`^${key}=["']?([^"'\\n]*)["']?\\s*$`, 'm').exec(text)?.[1]?.toLowerCase() ?? ''
  return `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ').filter((id) => id !== '')
}
