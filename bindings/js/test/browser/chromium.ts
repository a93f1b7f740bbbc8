// The Chromium that tests run in, headless.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type LaunchOptions } from 'playwright'

/** The names that packages give its program. */
const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome']

/** Its program's path: CHROME, or the first one in PATH. */
export function chromiumPath(): string {
  const { CHROME, PATH = '' } = process.env
  if (CHROME) return CHROME
  const paths = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))
  const found = paths.find(isProgram)
  if (found === undefined) {
    throw new Error(
      `The tests in browsers need Chromium, and PATH has none of ${NAMES.join(', ')}: ` +
        'apt-get install chromium-headless-shell, or say where it is: CHROME=/path/to/chrome',
    )
  }
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Milliseconds after which a page has not answered; half a minute, as it is else, is too short on a busy machine. */
export const LATEST_MS = 240_000

export async function launch(options: LaunchOptions = {}): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), timeout: LATEST_MS, ...options })
  const newContext = browser.newContext.bind(browser)
  // `newPage` calls it too.
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(LATEST_MS)
    return context
  }
  return browser
}
