// One address that the program listens on, from its text. Only what is written is believed: a name is not looked up, but for localhost, which
// is the loopback address everywhere.
using System;
using System.IO;
using System.Net;

namespace Pile.Server.Running;

/// <summary>An address to listen on.</summary>
/// <param name="Text">As it was written.</param>
/// <param name="IsSecure">Whether by TLS.</param>
/// <param name="EndPoint">The address and port; null for a Unix socket.</param>
/// <param name="SocketPath">The Unix socket; null for an address.</param>
internal sealed record ListenAddress(string Text, bool IsSecure, IPEndPoint? EndPoint, string? SocketPath)
{
    private const string Unix = "unix:";

    /// <summary>Whether only this machine reaches it.</summary>
    internal bool IsLocal => EndPoint is null || IPAddress.IsLoopback(EndPoint.Address);

    /// <summary>Whether another one can't be had beside it: the same, or one of them is that of all the machine's addresses.</summary>
    internal bool Covers(ListenAddress other) => SocketPath is not null ? SocketPath == other.SocketPath
        : EndPoint!.Port != 0 && EndPoint.Port == other.EndPoint?.Port
            && (EndPoint.Address.Equals(other.EndPoint.Address) || IsAny(EndPoint.Address, other.EndPoint.Address) || IsAny(other.EndPoint.Address, EndPoint.Address));

    // Kestrel takes the one of all IPv6 addresses for IPv4 too.
    private static bool IsAny(IPAddress any, IPAddress address) => any.Equals(IPAddress.IPv6Any) || (any.Equals(IPAddress.Any) && address.AddressFamily == any.AddressFamily);

    /// <summary>Reads an address; null where it is none.</summary>
    internal static ListenAddress? Parse(string text)
    {
        if (text.StartsWith(Unix, StringComparison.Ordinal))
        {
            return text.Length > Unix.Length ? new ListenAddress(text, IsSecure: false, null, Path.GetFullPath(text[Unix.Length..])) : null;
        }

        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? uri) || (uri.Scheme != Uri.UriSchemeHttp && uri.Scheme != Uri.UriSchemeHttps) || uri.PathAndQuery != "/" || uri.UserInfo.Length > 0)
        {
            return null;
        }

        IPAddress? address = uri.Host == "localhost" ? IPAddress.Loopback : IPAddress.TryParse(uri.Host, out IPAddress? parsed) ? parsed : null;
        return address is null ? null : new ListenAddress(text, uri.Scheme == Uri.UriSchemeHttps, new IPEndPoint(address, uri.Port), null);
    }
}
