// The file of a Unix socket that a killed process has left is in the way of the next. One that somebody answers on is another server's, and what is no
// socket is somebody's file: both end the start.
using System;
using System.IO;
using System.Net.Sockets;
using Microsoft.Extensions.Options;

namespace Pile.Server.Running;

/// <summary>Removes what is left of a Unix socket.</summary>
internal static class StaleSocket
{
    /// <summary>Removes the file, if nobody answers on it.</summary>
    /// <param name="path">The socket.</param>
    /// <param name="address">The address as it was written.</param>
    /// <exception cref="OptionsValidationException">Somebody answers, or it is no socket.</exception>
    internal static void Remove(string path, string address)
    {
        if (!File.Exists(path))
        {
            return;
        }

        if (IsFile(path))
        {
            throw Mistake($"{Place(address)}: there is a file that is no socket. Remove it, or listen elsewhere.");
        }

        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(path));
        }
        catch (SocketException nobody) when (nobody.SocketErrorCode == SocketError.ConnectionRefused)
        {
            File.Delete(path);
            return;
        }
        catch (SocketException unknown)
        {
            throw Mistake($"{Place(address)}: there is a socket, and whether a server answers on it can't be found out: {unknown.Message}. Remove it if there is none, or listen elsewhere.");
        }

        throw Mistake($"{Place(address)}: a server answers there already. Stop it, or listen elsewhere.");
    }

    // A socket can't be opened.
    private static bool IsFile(string path)
    {
        try
        {
            File.OpenHandle(path).Dispose();
            return true;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static string Place(string address) => $"{ListenOptions.Section}:{nameof(ListenOptions.Addresses)} = '{address}'";

    private static OptionsValidationException Mistake(string text) => new(ListenOptions.Section, typeof(ListenOptions), [text]);
}
