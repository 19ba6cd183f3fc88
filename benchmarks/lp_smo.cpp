// lp-norm MKL by sequential minimal optimisation of its dual (Vishwanathan, Sun, Ampornpunt and Varma 2010, NIPS 23):
//
//     maximise  D(v) = sum_i |v_i| - 1/2 ||q||_p*,   q_m = v'K_m v,   theta_m = (q_m / ||q||_p*)^(p* - 1)
//
// over 0 <= y_i v_i <= C with sum v = 0. A step moves the most violating pair along the maximum of D; every K_m v is kept.
#include <algorithm>
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

static void weights_of(const Vector& q, double p, Vector& theta) {
    double largest = *std::max_element(q.begin(), q.end()), power = p / (p - 1), sum = 0;
    if (!(largest > 0)) return std::fill(theta.begin(), theta.end(), std::pow(q.size(), -1 / p));
    for (double value : q) sum += std::pow(value / largest, power);
    double norm = std::pow(sum, 1 / power);
    for (size_t m = 0; m < q.size(); m++) theta[m] = std::pow(q[m] / largest / norm, power - 1);
}

// grams (m, n, n), y (n,) of -1 and +1; writes theta (m,), v (n,) and the bias; returns the steps, negative if too many
extern "C" long lp_smo(const double* grams, const double* y, long m, long n, double C, double p, double gap, long most,
                       double* theta_out, double* v_out, double* bias_out) {
    Vector theta(m), q(m, 0.0), moved(m), slope(m), curve(m), v(n, 0.0), g(y, y + n), image(m * n, 0.0), diagonal(n);
    Vector cache(n * n);
    std::vector<char> computed(n, 0);
    auto row = [&](long k, long i) { return grams + (k * n + i) * n; };
    auto refresh = [&] {
        std::fill(computed.begin(), computed.end(), 0);
        for (long i = 0; i < n; i++) {
            diagonal[i] = 0;
            for (long k = 0; k < m; k++) diagonal[i] += theta[k] * row(k, i)[i];
        }
    };
    auto low = [&](long i) { return y[i] > 0 ? 0 : -C; };
    auto high = [&](long i) { return y[i] > 0 ? C : 0; };
    weights_of(q, p, theta);
    refresh();
    double tolerance = 0.1;
    for (long step = 0; step < most;) {
        long i = -1, j = -1;
        double growth = -INFINITY, shrinkage = INFINITY, best = -1;
        for (long k = 0; k < n; k++) {
            if (v[k] < high(k) && g[k] > growth) growth = g[k], i = k;
            if (v[k] > low(k) && g[k] < shrinkage) shrinkage = g[k];
        }
        if (growth - shrinkage <= tolerance) {
            double bias = (growth + shrinkage) / 2, complexity = 0, losses = 0, length = 0;
            for (long k = 0; k < m; k++) complexity += theta[k] * q[k] / 2;
            for (long k = 0; k < n; k++) {
                losses += std::max(0.0, 1 - y[k] * (y[k] - g[k] + bias));
                length += std::fabs(v[k]);
            }
            double objective = complexity + C * losses;
            if (objective - (length - complexity) <= gap * objective) {
                std::copy(theta.begin(), theta.end(), theta_out);
                std::copy(v.begin(), v.end(), v_out);
                *bias_out = bias;
                return step;
            }
            tolerance /= 2;
            refresh();
            continue;
        }
        double* combined = &cache[i * n];
        if (!computed[i]) {
            std::fill(combined, combined + n, 0.0);
            for (long k = 0; k < m; k++) {
                const double* part = row(k, i);
                for (long a = 0; a < n; a++) combined[a] += theta[k] * part[a];
            }
            computed[i] = 1;
        }
        for (long k = 0; k < n; k++) {
            double difference = growth - g[k];
            if (v[k] > low(k) && difference > 0) {
                double gain = difference * difference / std::max(diagonal[i] + diagonal[k] - 2 * combined[k], 1e-12);
                if (gain > best) best = gain, j = k;
            }
        }
        for (long k = 0; k < m; k++) {
            slope[k] = image[k * n + i] - image[k * n + j];
            curve[k] = row(k, i)[i] + row(k, j)[j] - 2 * row(k, i)[j];
        }
        // a safeguarded secant search for the zero of the derivative
        double room = std::min(high(i) - v[i], v[j] - low(j)), start = growth - g[j], from = 0, to = room;
        double d = std::min(room, start / std::max(diagonal[i] + diagonal[j] - 2 * combined[j], 1e-12));
        double before = 0, derivative_before = start;
        for (int t = 0; t < 30; t++) {
            for (long k = 0; k < m; k++) moved[k] = std::max(q[k] + 2 * d * slope[k] + d * d * curve[k], 0.0);
            weights_of(moved, p, theta);
            double derivative = y[i] - y[j];
            for (long k = 0; k < m; k++) derivative -= theta[k] * (slope[k] + d * curve[k]);
            if (std::fabs(derivative) <= 0.1 * start || (derivative > 0 && d == room)) break;
            (derivative > 0 ? from : to) = d;
            double secant = d - derivative * (d - before) / (derivative - derivative_before);
            before = d, derivative_before = derivative;
            d = from < secant && secant < to ? secant : derivative > 0 && to == room ? room : (from + to) / 2;
        }
        v[i] = d == high(i) - v[i] ? high(i) : v[i] + d;
        v[j] = d == v[j] - low(j) ? low(j) : v[j] - d;
        q = moved;
        weights_of(q, p, theta);
        std::copy(y, y + n, g.begin());
        for (long k = 0; k < m; k++) {
            const double *a = row(k, i), *b = row(k, j);
            double *f = &image[k * n], weight = theta[k];
            for (long s = 0; s < n; s++) {
                f[s] += d * (a[s] - b[s]);
                g[s] -= weight * f[s];
            }
        }
        step++;
    }
    return -1;
}
