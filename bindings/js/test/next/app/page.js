'use client'

// A component that the server renders too; it computes in the page, which says the result to who opened it.

import { useEffect } from 'react'
import { backend } from 'sealstone'
import { work } from './work.js'

export default function Page() {
  useEffect(() => {
    const port = new URLSearchParams(location.search).get('port')
    const say = (body) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', mode: 'no-cors', body })
    try {
      say(`${work()}, ${backend().includes('webassembly')}`)
    } catch (error) {
      say(String(error))
    }
  }, [])
  return 'a page'
}
