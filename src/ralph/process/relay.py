"""Run between walls without a network: `relay.py SOCKET PORT COMMAND…`.

Listens on the loopback there is, and hands everything on to the proxy behind the socket. It ends
with the walls. Python without its site: nothing of the machine's is imported.
"""

import os
import socket
import sys
import threading

CHUNK = 1 << 16


def hand_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
    except OSError:
        pass
    finally:
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


def serve(listening: socket.socket, path: str) -> None:
    while True:
        near, _ = listening.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:
            near.close()
            continue
        for pair in ((near, far), (far, near)):
            threading.Thread(target=hand_on, args=pair, daemon=True).start()


def main() -> None:
    path, port, *command = sys.argv[1:]
    listening = socket.create_server(("127.0.0.1", int(port)))
    if os.fork():
        listening.close()
        os.execvp(command[0], command)  # noqa: S606 - what was asked for, unchanged
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    serve(listening, path)


if __name__ == "__main__":
    main()
