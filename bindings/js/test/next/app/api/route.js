import { work } from '../work.js'

export const dynamic = 'force-dynamic'

export function GET() {
  return new Response(work())
}
