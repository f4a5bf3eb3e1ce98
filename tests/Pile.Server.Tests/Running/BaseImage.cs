using System;
using System.Collections.Generic;
using System.Formats.Tar;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Pile.Server.Tests.Running;

/// <summary>A registry on the loopback address with one image, which stands for that of ASP.NET Core: its user and its variables, and no files.</summary>
internal sealed class BaseImage : IAsyncDisposable
{
    private readonly WebApplication _application;

    private BaseImage(WebApplication application) => _application = application;

    /// <summary>Host and port: "localhost", which is what tools take as safe in the clear.</summary>
    internal string Registry => $"localhost:{new Uri(_application.Urls.First()).Port}";

    internal static async Task<BaseImage> StartAsync()
    {
        byte[] tar = Tar();
        byte[] layer = Packed(tar);
        byte[] config = Encoding.UTF8.GetBytes($$"""
            { "architecture": "amd64", "os": "linux", "config": { "Env": [ "ASPNETCORE_HTTP_PORTS=8080", "APP_UID=1654" ] }, "rootfs": { "type": "layers", "diff_ids": [ "{{Digest(tar)}}" ] }, "history": [] }
            """);
        byte[] manifest = Encoding.UTF8.GetBytes($$"""
            { "schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
              "config": { "mediaType": "application/vnd.docker.container.image.v1+json", "size": {{config.Length}}, "digest": "{{Digest(config)}}" },
              "layers": [ { "mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", "size": {{layer.Length}}, "digest": "{{Digest(layer)}}" } ] }
            """);
        var blobs = new Dictionary<string, byte[]> { [Digest(config)] = config, [Digest(layer)] = layer };
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        WebApplication application = builder.Build();
        application.Urls.Add("http://127.0.0.1:0");
        _ = application.MapMethods("/v2/aspnet/manifests/{reference}", ["GET", "HEAD"], (HttpContext context) =>
        {
            context.Response.Headers["Docker-Content-Digest"] = Digest(manifest);
            return Results.Bytes(manifest, "application/vnd.docker.distribution.manifest.v2+json");
        });
        _ = application.MapGet("/v2/aspnet/blobs/{digest}", (string digest) => blobs.TryGetValue(digest, out byte[]? blob) ? Results.Bytes(blob) : Results.NotFound());
        await application.StartAsync();
        return new BaseImage(application);
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private static byte[] Tar()
    {
        using var stream = new MemoryStream();
        using (var writer = new TarWriter(stream, leaveOpen: true))
        {
            writer.WriteEntry(new PaxTarEntry(TarEntryType.Directory, "home/app/"));
        }

        return stream.ToArray();
    }

    private static byte[] Packed(byte[] bytes)
    {
        using var stream = new MemoryStream();
        using (var packing = new GZipStream(stream, CompressionLevel.Fastest, leaveOpen: true))
        {
            packing.Write(bytes);
        }

        return stream.ToArray();
    }

    private static string Digest(byte[] bytes) => "sha256:" + Convert.ToHexStringLower(SHA256.HashData(bytes));
}
