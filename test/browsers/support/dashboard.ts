import type { ElementHandle, KeyInput, Page } from 'puppeteer-core'
import { expect, onTestFinished } from 'vitest'
import type { LocalSidecar, LocalSidecarOptions } from '../../../src/node.js'
import { inChromium, type TestBrowser } from './each-browser.js'

/** From the build, which has the page already: building it from source takes some seconds for each test file. */
export const { createLocalSidecar } = (await import(
  new URL('../../../dist/node.js', import.meta.url).href
)) as typeof import('../../../src/node.js')

/** Steers a page of either dashboard. */
export interface Steering {
  readonly page: Page
  /** Presses keys one after the other, and waits until the page has drawn the effect of each. */
  press(...keys: readonly KeyInput[]): Promise<void>
  /** A button of a region, by its name. */
  button(region: string, name: string): Promise<ElementHandle>
  /** The text of a region. */
  region(name: string): Promise<string>
  /** Waits until a region's text has or matches `text`. */
  says(name: string, text: string | RegExp): Promise<void>
  /** The value of an expression in the page. */
  run<T>(expression: string): Promise<T>
  /** Waits until an expression is true in the page. */
  until(expression: string): Promise<void>
}

/** A dashboard in a page of its own, and the sidecar that it shows. */
export interface Dashboard extends Steering {
  readonly local: LocalSidecar
  /** Calls the sidecar as a game does. */
  call(method: string, path: string, body?: object): Promise<number>
}

export interface DashboardOptions {
  readonly local?: LocalSidecarOptions
  readonly width?: number
  /** Emulates a touch screen. */
  readonly touch?: boolean
  /** Adds the control token to the address, as `local` prints it for a sidecar beyond loopback. */
  readonly token?: boolean
}

export type OpenDashboard = (options?: DashboardOptions) => Promise<Dashboard>

const gameServer = {
  metadata: { name: 'lobby', labels: { fleet: 'blue' } },
  spec: { health: { periodSeconds: 600, failureThreshold: 3, initialDelaySeconds: 600 } },
  status: {
    counters: { rooms: { count: 3, capacity: 10 } },
    lists: { players: { capacity: 4, values: ['alice'] } },
  },
}

/** Tests of a local sidecar's dashboard. Each sidecar has its own origin, so pages share no storage. */
export const inDashboard = (suite: (open: OpenDashboard, browser: TestBrowser) => void): void =>
  inChromium((browser) => suite((options) => openDashboard(browser, options), browser))

async function openDashboard(
  browser: TestBrowser,
  { local: localOptions, width = 1280, touch = false, token = false }: DashboardOptions = {},
): Promise<Dashboard> {
  const local = await createLocalSidecar({ gameServer, onWarning: () => {}, ...localOptions })
  onTestFinished(() => local.close())
  const { page } = await browser.open('about:blank')
  await page.browserContext().setPermission(local.url, { permission: { name: 'clipboard-read' }, state: 'granted' })
  await page.setViewport({ width, height: 800, hasTouch: touch, isMobile: touch })
  await page.bringToFront()
  const url = `http://127.0.0.1:${local.port}/_/`
  await page.goto(token ? `${url}#token=${local.controlToken}` : url)
  await page.waitForSelector('.header-state .state-mark')

  return {
    ...steer(page),
    local,
    async call(method, path, body) {
      const response = await fetch(local.url + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
      await response.text()
      return response.status
    },
  }
}

export function steer(page: Page): Steering {
  page.setDefaultTimeout(90_000)
  const run = async <T>(expression: string): Promise<T> => (await page.evaluate(expression)) as T
  const selector = (name: string): string => `[aria-label="${name}"]`
  const region = (name: string): Promise<string> =>
    page.$eval(selector(name), (element) => (element as HTMLElement).innerText)
  return {
    page,
    run,
    region,
    async press(...keys) {
      for (const key of keys) {
        await page.keyboard.press(key)
        await run(
          'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))',
        )
      }
    },
    button: async (name, label) =>
      (await page.waitForSelector(`${selector(name)} ::-p-aria([name="${label}"][role="button"])`))!,
    async says(name, text) {
      const { source, flags } = typeof text === 'string' ? literal(text) : text
      const said = page.waitForFunction(
        (css, pattern, how) => new RegExp(pattern, how).test(document.querySelector<HTMLElement>(css)?.innerText ?? ''),
        {},
        selector(name),
        source,
        flags,
      )
      await said.catch(async () => expect(await region(name), `in ${name}`).toMatch(text))
    },
    until: async (expression) => void (await page.waitForFunction(expression)),
  }
}

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
