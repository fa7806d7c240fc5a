"""Worker processes behind the interface of `concurrent.futures.Executor`; it imports nothing of parsolve.

    ProcessPool ─▶ TaskQueue ─▶ Supervisor (a thread) ══one connection a worker══▶ worker process
      pool.py       tasks.py      supervise.py  │                                    worker.py
                                                └─▶ Processes: from a fork server, or fresh interpreters
                                                    system/processes.py, handles.py      server.py, start.py

Why not `concurrent.futures.ProcessPoolExecutor`: there a killed worker breaks the whole pool, which may hang, and the
user's main module is imported. Here a killed worker loses its running task and nothing else, and `cancel()` on a
running task kills its worker.

A worker says every second that it is alive, from a thread of its own. One that is silent for long is killed. One that
computes is waited for, however long that takes.
"""
