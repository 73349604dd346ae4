/** The browsers of this machine, with a user's settings: the throttling of hidden pages stays on. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from 'puppeteer-core'

const kinds = {
  Chromium: {
    paths: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'],
    options: (profile) => ({
      browser: 'chrome',
      ignoreDefaultArgs: true,
      pipe: true,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        `--user-data-dir=${profile}`,
        'about:blank',
      ],
    }),
  },
  Firefox: {
    paths: [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
    options: (profile) => ({ browser: 'firefox', args: ['--headless'], userDataDir: profile }),
  },
}

/** Names of the installed browsers. */
export const installed = () => Object.keys(kinds).filter((name) => pathOf(name) !== undefined)

const pathOf = (name) => kinds[name].paths.find((path) => path && existsSync(path))

export async function startBrowser(name) {
  const profile = await mkdtemp(join(tmpdir(), 'bench-profile-'))
  const browser = await launch({ ...kinds[name].options(profile), executablePath: pathOf(name), defaultViewport: null })
  return {
    browser,
    async end() {
      await browser.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
    },
  }
}
