using System;
using System.Globalization;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Pile.ServerBench;

/// <summary>What Kestrel costs by itself: the body is read, and bytes made beforehand are the answer.</summary>
internal static class BareEndpoint
{
    internal static int Run(string port, string bytes)
    {
        byte[] answer = new byte[int.Parse(bytes, CultureInfo.InvariantCulture)];
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.ListenLocalhost(int.Parse(port, CultureInfo.InvariantCulture), static options => options.Protocols = HttpProtocols.Http2);
        });
        WebApplication application = builder.Build();
        application.Run(async context =>
        {
            PipeReader body = context.Request.BodyReader;
            for (ReadResult read = await body.ReadAsync(); ; read = await body.ReadAsync())
            {
                body.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    break;
                }
            }

            context.Response.ContentType = "application/grpc";
            _ = await context.Response.BodyWriter.WriteAsync(answer);
        });
        application.Lifetime.ApplicationStarted.Register(static () => Console.WriteLine("listening"));
        application.Run();
        return 0;
    }
}
