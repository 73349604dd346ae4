import type { System } from './system.js'

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
    ...inside(env(system, 'PLAYWRIGHT_BROWSERS_PATH') ?? playwright, /^chromium_headless_shell-\d/).flatMap(programs),
    ...inside(
      [env(system, 'PUPPETEER_CACHE_DIR') ?? `${cache}${slash}puppeteer`, 'chrome-headless-shell'].join(slash),
      /\d/,
    ).flatMap(programs),
  ]
}

const env = (system: System, name: string): string | undefined => system.env[name] || undefined
